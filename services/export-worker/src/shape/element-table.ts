import type { TableShape } from '@sluice/jobs/record/export-record.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import type { Column } from '@sluice/tables/columns.ts';
import { createNames } from '@sluice/tables/columns.ts';
import { isLast, keyOf, membersOf, type ShapeNode, type Surveyed } from './shape-node.ts';

/**
 * A column for each element of an array, in the place of the array's own. That stays, in front of them, where some entry
 * has anything else there than such an array or null. `base` are all columns without this; they keep their names.
 */
export function elementTable(surveyed: Surveyed[], base: Column[]): TableShape {
  const names = new Map(base.map(({ pointer, name }) => [pointer, name]));
  const nameOf = createNames(base.map(({ name }) => name));
  // An object may have keys like those of elements; then it is the same column.
  const columns = new Map<string | undefined, Column>();

  function add(pointer: string, node: ShapeNode): void {
    if (node.cell || isLast(node)) {
      const column = columns.get(pointer) ?? { name: names.get(pointer) ?? nameOf(pointer), pointer };
      columns.set(pointer, node.isWhole ? { ...column, isWhole: true } : column);
    }
    for (const [index, element] of node.elements.entries()) add(`${pointer}/${index}`, element);
    for (const member of membersOf(node)) add(pointer + toPointer([keyOf(member)]), member);
  }

  const others: Column[] = [];
  for (const { column, node } of surveyed) {
    if (column.pointer !== undefined) add(column.pointer, node);
    else if (column.isRest) others.push(column);
    else columns.set(column.meta, column);
  }
  return { name: 'entries', path: [], columns: [...columns.values(), ...others] };
}
