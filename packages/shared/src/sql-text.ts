/** A text in SQL. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The name of a column in SQL. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A list of texts in the SQL of DuckDB. */
export const listed = (texts: string[]): string => `[${texts.map(quoted).join(', ')}]`;
