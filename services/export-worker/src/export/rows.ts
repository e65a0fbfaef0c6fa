import type { Column } from '@sluice/shared/columns/columns.ts';
import { eachLeaf, toPointer } from '@sluice/shared/payloads/leaves.ts';
import type { StoredEntry } from '@sluice/shared/store/entries.ts';
import { type Cell, toCell } from './cells.ts';

/** A leaf that is no column: to leave it out would lose it silently. */
export class UnknownLeaf extends Error {
  constructor(entry: string, pointer: string) {
    super(
      `entry ${entry} has ${pointer.slice(0, 200)}, which is not among the columns; begin the export anew`,
    );
  }
}

interface Options {
  columns: Column[];
  /** The columns of the file, by name; absent: all. */
  selected?: string[] | undefined;
  formulas: 'escape' | 'raw';
}

/** How an entry becomes a row. `header` are the names, `toRow` the cells in the same order. */
export function createRows({ columns, selected, formulas }: Options) {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const shown = selected ? selected.map((name) => byName.get(name) as Column) : columns;
  const places = new Map(shown.map(({ pointer }, place) => [pointer, place]));
  const timePlace = places.get(undefined);
  // A line with nothing on it is skipped by most readers: where there is one column only, empty is written as "".
  const empty: Cell = shown.length === 1 ? '' : undefined;

  return {
    header: shown.map(({ name }) => name),
    toRow({ id, createdAt, payload }: StoredEntry): Cell[] {
      const row = new Array<Cell>(shown.length).fill(empty);
      if (timePlace !== undefined) row[timePlace] = createdAt.toISOString();
      eachLeaf(payload, (path, value) => {
        const pointer = toPointer(path);
        const place = places.get(pointer);
        if (place !== undefined) row[place] = toCell(value, formulas) ?? empty;
        else if (!selected) throw new UnknownLeaf(id, pointer);
      });
      return row;
    },
  };
}
