import { createEntryReader, type EntryPlace } from '@sluice/bson/entry.ts';
import { array, document, nil } from '@sluice/bson/types.ts';
import { eachMember, hasOnlyObjects, isEmpty, type Memory } from '@sluice/bson/values.ts';
import type { TableShape } from '@sluice/jobs/record/export-record.ts';
import type { Column } from '@sluice/tables/columns.ts';
import { createFindRows } from '../formats/find-rows.ts';
import { columnsNamed } from '../formats/format.ts';
import {
  createShapeNodes,
  excessOf,
  extentOf,
  type Measure,
  type ShapeNode,
  type Surveyed,
  TooMuch,
} from './shape-node.ts';
import { elementTable, objectTables } from './shape-tables.ts';

interface Options {
  columns: Column[];
  /** Names of the selected columns; absent: all. */
  selected?: string[] | undefined;
  arrays: 'columns' | 'rows';
}

/** Surveys the arrays of entries. The fields outside of arrays are known: `columns`. */
export function createSurvey({ columns, selected, arrays }: Options) {
  const shown = columnsNamed(columns, selected);
  const tables = [{ name: 'entries', path: [], columns: shown }];
  const fields = createFindRows({ columns, selected, arrays: 'json', tables }, lookAtAll);
  const nodes = createShapeNodes(shown.length);
  const surveyed = shown.map(
    (column): Surveyed => ({ column, node: nodes.root(column.pointer?.length ?? 0) }),
  );
  const read = createEntryReader();

  function lookAtAll(entry: EntryPlace): void {
    for (const [place, column] of surveyed.entries()) {
      const type = fields.types[place] as number;
      if (type !== 0) lookAt(column, entry, type, fields.values[place] as number);
    }
  }

  function look(node: ShapeNode, source: Memory, type: number, at: number): void {
    if (type === nil) return;
    const isNested = (type === document || type === array) && !isEmpty(source, at);
    if (!isNested || node.isWhole) node.cell = true;
    else if (type === document) lookAtMembers(node, source, at);
    else if (arrays === 'columns')
      eachMember(source, at, (type, value, _key, index) =>
        look(nodes.element(node, index), source, type, value),
      );
    else if (hasOnlyObjects(source, at)) {
      const rows = nodes.rows(node);
      eachMember(source, at, (_type, value) => lookAtMembers(rows, source, value));
    } else node.cell = true;
  }

  function lookAtMembers(parent: ShapeNode, source: Memory, start: number): void {
    let before: ShapeNode | undefined;
    eachMember(source, start, (type, value, key) => {
      before = nodes.member(parent, before, source, key, value - 1);
      look(before, source, type, value);
    });
  }

  /** Surveys a column. If a limit is reached, the arrays of the largest column stay JSON text. */
  function lookAt(column: Surveyed, source: Memory, type: number, at: number): void {
    for (;;) {
      try {
        look(column.node, source, type, at);
        return;
      } catch (error) {
        if (!(error instanceof TooMuch)) throw error;
        emptyLargest(error.measure, column);
      }
    }
  }

  /** Empties the largest column; on ties, the last. `current` needs one more. False: all columns are empty. */
  function emptyLargest(measure: Measure, current?: Surveyed): boolean {
    const sizes = surveyed.map((column) => extentOf(column.node, measure) + (column === current ? 1 : 0));
    const most = Math.max(...sizes);
    if (most === 0) return false;
    nodes.empty((surveyed[sizes.lastIndexOf(most)] as Surveyed).node);
    return true;
  }

  return {
    /** Throws UnknownField for a field outside of arrays that is no column. Then the entry does not count. */
    add(document: Buffer): void {
      fields.find(read(document));
    },

    tables(): TableShape[] {
      for (;;) {
        const tables = arrays === 'columns' ? [elementTable(surveyed, columns)] : objectTables(surveyed);
        const excess = excessOf(tables);
        // If no array is left to empty, the schema itself exceeds the limit.
        if (!excess || !emptyLargest(excess)) return tables;
      }
    },
  };
}
