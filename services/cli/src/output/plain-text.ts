/** A value of JSON for a table: a text as it is, and others as JSON. */
export const plainText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
