import { type ByteSink, clear, createByteSink } from '../byte-sink.ts';
import {
  addSlot,
  addValue,
  clearColumn,
  createLeafColumn,
  type LeafColumn,
  removeRow,
} from './leaf-column.ts';

/** Where a node is in the tree of columns. */
export interface ColumnLevels {
  /** The definition level of a NULL here. */
  definition: number;
  /** How many lists are around it. */
  lists: number;
}

export type Shredded = ReturnType<typeof createShredded>;

/** The columns of a row group while rows are added. A `repetition` is the level of a slot; see `LeafColumn`. */
export function createShredded() {
  /** In the order of the schema. */
  const columns: LeafColumn[] = [];
  /** The bytes of all texts. */
  const text: ByteSink = createByteSink();
  let rows = 0;
  let nulls = 0;
  let before = { text: 0, nulls: 0 };

  return {
    columns,
    text,
    rows: () => rows,
    /** How many NULLs take memory: objects have them without a byte in the entry. */
    nulls: () => nulls,

    addColumn({ definition, lists }: ColumnLevels, isText: boolean): LeafColumn {
      const column = createLeafColumn({ isText, isRepeated: lists > 0, most: definition });
      columns.push(column);
      return column;
    },

    addNumber(column: LeafColumn, repetition: number, value: number | bigint): void {
      addSlot(column, rows, repetition);
      addValue(column, value);
    },

    /** Adds the text that `write` appends to the bytes of all texts. */
    addText(column: LeafColumn, repetition: number, write: () => void): void {
      const start = text.length;
      write();
      addSlot(column, rows, repetition);
      addValue(column, start);
      addValue(column, text.length);
    },

    addNull(leaves: LeafColumn[], repetition: number, definition: number): void {
      nulls += leaves.length;
      for (const column of leaves) addSlot(column, rows, repetition, definition);
    },

    endRow(): void {
      rows += 1;
      before = { text: text.length, nulls };
    },

    /** Removes what was added since the last row. */
    removeRow(): void {
      for (const column of columns) removeRow(column, rows);
      text.length = before.text;
      nulls = before.nulls;
    },

    /** Begins the next row group. */
    clear(): void {
      for (const column of columns) clearColumn(column);
      clear(text);
      rows = 0;
      nulls = 0;
      before = { text: 0, nulls };
    },
  };
}
