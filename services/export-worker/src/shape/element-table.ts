import type { Column } from '@sluice/shared/columns/columns.ts';
import { createNames } from '@sluice/shared/columns/names.ts';
import { toPointer } from '@sluice/shared/payloads/leaves.ts';
import type { TableShape } from '@sluice/shared/store/job-records.ts';
import { isLast, keyOf, membersOf, type ShapeNode } from './shape-node.ts';
import type { Surveyed } from './survey.ts';

/**
 * A column for each element of an array, in the place of the array's own. That stays, in front of them, where some entry
 * has anything else there than such an array or null. `base` are all columns without this; they keep their names.
 */
export function elementTable(surveyed: Surveyed[], base: Column[]): TableShape {
  const pointers = new Set<string | undefined>();
  for (const { column, node } of surveyed) {
    if (column.pointer === undefined) pointers.add(undefined);
    else addAll(pointers, column.pointer, node);
  }
  const names = new Map(base.map(({ pointer, name }) => [pointer, name]));
  const nameOf = createNames(names.values());
  // An object may have keys like those of elements; then it is the same column.
  const columns = Array.from(pointers, (pointer): Column => {
    if (pointer === undefined) return { name: names.get(undefined) as string };
    return { name: names.get(pointer) ?? nameOf(pointer), pointer };
  });
  return { name: 'entries', path: [], columns };
}

function addAll(pointers: Set<string | undefined>, pointer: string, node: ShapeNode): void {
  if (node.cell || isLast(node)) pointers.add(pointer);
  for (const [index, element] of node.elements.entries()) addAll(pointers, `${pointer}/${index}`, element);
  for (const member of membersOf(node)) addAll(pointers, pointer + toPointer([keyOf(member)]), member);
}
