import { schemaFields } from '@sluice/schemas/fields/schema-fields.ts';
import type { Meta } from '@sluice/shared/contracts/jobs.ts';
import { createNames, restName } from './names.ts';
import { maxFieldColumns } from './width.ts';

export interface Column {
  /** Unique among the columns of an application. */
  name: string;
  /** JSON Pointer of the field in the payload; absent for the time of the entry, for `meta` and for the rest. */
  pointer?: string;
  /** What it has of an entry beside its time and payload. */
  meta?: Meta;
  /** True for an object of all fields that have no column of their own. */
  isRest?: true;
  /** True where arrays are taken apart, but those of this field are JSON text: they would take too many columns. */
  isWhole?: true;
}

const createdAt: Column = { name: 'createdAt' };

/**
 * The columns of an application's exports: `createdAt`, what is asked for beside payloads, the fields of the first version of its
 * schema, then the recorded ones, and one for the rest where there is to be one. See `createNames` for what they are called.
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
