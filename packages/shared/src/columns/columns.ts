import { createNames } from './names.ts';
import { schemaLeaves } from './schema-leaves.ts';

export interface Column {
  /** Unique among the columns of an application. */
  name: string;
  /** JSON Pointer of the leaf in the payload; absent for the time of the entry. */
  pointer?: string;
}

const createdAt: Column = { name: 'createdAt' };

/**
 * The columns of an application's exports: `createdAt`, the leaves of its schema, then those that only
 * entries have. See `createNames` for what they are called.
 */
export function columnsOf(schema: Record<string, unknown>, recorded: string[]): Column[] {
  const nameOf = createNames([createdAt.name]);
  const pointers = new Set([...schemaLeaves(schema), ...recorded]);
  return [createdAt, ...Array.from(pointers, (pointer) => ({ name: nameOf(pointer), pointer }))];
}
