import { maxColumns, schemaFields } from '@sluice/schemas/fields/schema-fields.ts';

/** So many fields are columns, beside the time of the entry. */
export const maxFieldColumns = maxColumns - 1;

/**
 * How many of the recorded fields are columns behind those of the schema, and whether there are others, which have one together.
 * Anyone who may upload can bring that about, and must not keep the owner from exports.
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
