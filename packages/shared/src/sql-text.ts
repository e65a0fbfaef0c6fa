/** A text in SQL. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
