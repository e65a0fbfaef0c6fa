import type { Cell } from './cell-node.ts';

/** The values of rows in one column, NULL as null. Made when asked for, so that not all columns are in memory at a time. */
export type Values = () => unknown[];

interface Column {
  rows: number[];
  values: unknown[];
}

/** Rows that wait for their row group, by column and without what is NULL: a file can have thousands of columns. */
export function createRowBuffer(columnCount: number) {
  const emptyColumns = () => Array.from({ length: columnCount }, (): Column => ({ rows: [], values: [] }));
  let columns = emptyColumns();
  let count = 0;

  return {
    count: () => count,

    add(cells: Cell[]): void {
      for (const { place, value } of cells) {
        const column = columns[place] as Column;
        column.rows.push(count);
        column.values.push(value);
      }
      count += 1;
    },

    /** The columns with all rows; the buffer is empty then. */
    take(): Values[] {
      const length = count;
      const taken = columns;
      columns = emptyColumns();
      count = 0;
      return taken.map((column) => () => dense(column, length));
    },
  };
}

function dense({ rows, values }: Column, length: number): unknown[] {
  const data = new Array<unknown>(length).fill(null);
  for (const [index, row] of rows.entries()) data[row] = values[index];
  return data;
}
