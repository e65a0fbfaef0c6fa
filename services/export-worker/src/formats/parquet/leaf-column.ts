/**
 * The values of one leaf in a row group, with Parquet's levels of definition and repetition.
 * A row has a slot for each value or NULL in its lists. Rows without a slot are NULL: a file can have thousands of columns.
 */
export interface LeafColumn {
  isText: boolean;
  /** Whether there is a list around the leaf. */
  isRepeated: boolean;
  /** The definition level of a value; a lower one is of a NULL. */
  most: number;
  /** How many slots there are, how many rows have one, and how many `values` there are. */
  slots: number;
  begun: number;
  length: number;
  /** Of each slot. The arrays stay for the next row group: new ones would be garbage by the megabyte. */
  rows: Int32Array<ArrayBuffer>;
  definitions: Uint8Array<ArrayBuffer>;
  repetitions: Uint8Array<ArrayBuffer>;
  /** Of each slot that is not NULL. A text has two: where its bytes begin and end. */
  values: Float64Array<ArrayBuffer>;
  /** The integers beyond 2^53, by their index in `values`. */
  large: Map<number, bigint>;
}

const arrays = () => ({
  rows: new Int32Array(8),
  definitions: new Uint8Array(8),
  repetitions: new Uint8Array(8),
  values: new Float64Array(8),
});

export const createLeafColumn = (kind: Pick<LeafColumn, 'isText' | 'isRepeated' | 'most'>): LeafColumn => ({
  ...kind,
  slots: 0,
  begun: 0,
  length: 0,
  ...arrays(),
  large: new Map(),
});

/** Adds a slot. For a value, the caller adds the value too. */
export function addSlot(column: LeafColumn, row: number, repetition: number, definition = column.most): void {
  const { slots } = column;
  if (slots === column.rows.length) {
    column.rows = new Int32Array(column.rows.buffer.transfer(8 * slots));
    column.definitions = new Uint8Array(column.definitions.buffer.transfer(2 * slots));
    column.repetitions = new Uint8Array(column.repetitions.buffer.transfer(2 * slots));
  }
  column.rows[slots] = row;
  column.definitions[slots] = definition;
  column.repetitions[slots] = repetition;
  column.slots = slots + 1;
  if (repetition === 0) column.begun += 1;
}

export function addValue(column: LeafColumn, value: number | bigint): void {
  const { length } = column;
  if (length === column.values.length)
    column.values = new Float64Array(column.values.buffer.transfer(16 * length));
  if (typeof value === 'number') column.values[length] = value;
  else column.large.set(length, value);
  column.length = length + 1;
}

/** Removes what was added last, if it is of this row. */
export function removeRow(column: LeafColumn, row: number): void {
  const { rows, definitions, repetitions, large, most, isText } = column;
  while (column.slots > 0 && rows[column.slots - 1] === row) {
    column.slots -= 1;
    if (repetitions[column.slots] === 0) column.begun -= 1;
    if (definitions[column.slots] === most) column.length -= isText ? 2 : 1;
    large.delete(column.length);
  }
}

/** Keeps the arrays of a column that uses them: other columns may need the memory. */
export function clearColumn(column: LeafColumn): void {
  if (column.slots < column.rows.length / 4) Object.assign(column, arrays());
  Object.assign(column, { slots: 0, begun: 0, length: 0 });
  column.large.clear();
}
