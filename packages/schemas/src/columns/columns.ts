import { createNames, restName } from './names.ts';
import { schemaFields } from './schema-fields.ts';
import { maxFieldColumns } from './width.ts';

export interface Column {
  /** Unique among the columns of an application. */
  name: string;
  /** JSON Pointer of the field in the payload; absent for the time of the entry, and for the rest. */
  pointer?: string;
  /** True for an object of all fields that have no column of their own. */
  isRest?: true;
  /** True where arrays are taken apart, but those of this field are JSON text: they would take too many columns. */
  isWhole?: true;
}

const createdAt: Column = { name: 'createdAt' };

/**
 * The columns of an application's exports: `createdAt`, the fields of its schema, then those that only
 * entries have, and one for the rest where there is to be one. See `createNames` for what they are called.
 */
export function columnsOf(schema: Record<string, unknown>, recorded: string[], hasRest = false): Column[] {
  const nameOf = createNames([createdAt.name]);
  const declared = schemaFields(schema);
  const pointers = new Set([...(hasRest ? declared.slice(0, maxFieldColumns) : declared), ...recorded]);
  const columns = [createdAt, ...Array.from(pointers, (pointer) => ({ name: nameOf(pointer), pointer }))];
  return hasRest ? [...columns, { name: restName(columns.map(({ name }) => name)), isRest: true }] : columns;
}
