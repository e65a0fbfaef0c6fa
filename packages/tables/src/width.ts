import { maxColumns, schemaFields } from '@sluice/schemas/fields/schema-fields.ts';

/** The time of the entry is a column too. */
export const maxFieldColumns = maxColumns - 1;

/**
 * How many recorded fields become columns after those of the schema, and whether the rest shares one column.
 *
 * Uploaders can add any number of fields; exports must still work.
 */
export function widthOf(
  schema: Record<string, unknown>,
  { pointers, overflow }: { pointers: string[]; overflow: boolean },
): { leafCount: number; hasRest: boolean } {
  const columns = new Set(schemaFields(schema));
  const first = pointers.findIndex((pointer) => columns.add(pointer).size > maxFieldColumns);
  const leafCount = first < 0 ? pointers.length : first;
  return { leafCount, hasRest: overflow || columns.size > maxFieldColumns };
}
