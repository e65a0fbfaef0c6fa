/** A text in SQL. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The name of a column in SQL. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
