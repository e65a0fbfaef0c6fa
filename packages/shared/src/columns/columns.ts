import { fromPointer } from '../payloads/leaves.ts';
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
 * entries have. A name is the keys joined by dots; where an earlier column has that name, or it could be taken
 * for a pointer or an escaped name, the pointer itself.
 */
export function columnsOf(schema: Record<string, unknown>, recorded: string[]): Column[] {
  const names = new Set([createdAt.name]);
  const columns = [createdAt];
  for (const pointer of new Set([...schemaLeaves(schema), ...recorded])) {
    const dotted = fromPointer(pointer).join('.');
    const name = names.has(dotted) || /^[/']/.test(dotted) ? pointer : dotted;
    names.add(name);
    columns.push({ name, pointer });
  }
  return columns;
}
