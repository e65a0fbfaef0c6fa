import { schemaFields } from '@sluice/schemas/fields/schema-fields.ts';
import { createNames, restName } from './names.ts';
import { maxFieldColumns } from './width.ts';

export const metaNames = ['id', 'schema_version'] as const;
export type Meta = (typeof metaNames)[number];

export interface Column {
  /** Unique among the columns of an application. */
  name: string;
  /** JSON Pointer of the field in the payload; absent for `createdAt`, `meta` and the rest. */
  pointer?: string;
  /** A property of the entry, other than time and payload. */
  meta?: Meta;
  /** True for the column with an object of all other fields. */
  isRest?: true;
  /** True if the field's arrays stay JSON text, as their elements would take too many columns. */
  isWhole?: true;
}

const createdAt: Column = { name: 'createdAt' };

/**
 * The columns of an application's exports: `createdAt`, `meta`, the fields of the first version of its schema,
 * the recorded fields, and one column for the rest if `hasRest`.
 */
export function columnsOf(
  schema: Record<string, unknown>,
  recorded: string[],
  { hasRest = false, meta = [] }: { hasRest?: boolean | undefined; meta?: Meta[] | undefined } = {},
): Column[] {
  const ofEntry = [createdAt, ...meta.map((name) => ({ name, meta: name }))];
  const nameOf = createNames(ofEntry.map(({ name }) => name));
  const declared = schemaFields(schema);
  const pointers = new Set([...(hasRest ? declared.slice(0, maxFieldColumns) : declared), ...recorded]);
  const columns = [...ofEntry, ...Array.from(pointers, (pointer) => ({ name: nameOf(pointer), pointer }))];
  return hasRest ? [...columns, { name: restName(columns.map(({ name }) => name)), isRest: true }] : columns;
}
