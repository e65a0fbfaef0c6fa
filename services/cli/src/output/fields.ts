/** The fields of an object as rows of a table. */
export const toFields = (data: object): { field: string; value: unknown }[] =>
  Object.entries(data).map(([field, value]) => ({
    field,
    value: typeof value === 'object' ? JSON.stringify(value) : value,
  }));
