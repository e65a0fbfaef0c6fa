import { maxColumns, schemaLeaves } from './schema-leaves.ts';

/** So many leaves are columns, beside the time of the entry. */
export const maxLeafColumns = maxColumns - 1;

/**
 * How many of the recorded leaves are columns behind those of the schema, and whether there are others, which have one together.
 * Anyone who may upload can bring that about, and must not keep the owner from exports.
 */
export function widthOf(
  schema: Record<string, unknown>,
  { pointers, overflow }: { pointers: string[]; overflow: boolean },
): { leafCount: number; hasRest: boolean } {
  const columns = new Set(schemaLeaves(schema));
  const first = pointers.findIndex((pointer) => columns.add(pointer).size > maxLeafColumns);
  const leafCount = first < 0 ? pointers.length : first;
  return { leafCount, hasRest: overflow || columns.size > maxLeafColumns };
}
