import type { writeColumn } from 'hyparquet-writer/src/column.js';
import type { LeafColumn } from './leaf-column.ts';

type PageData = Parameters<typeof writeColumn>[0]['pageData'];
type Slots = Pick<LeafColumn, 'slots' | 'definitions' | 'repetitions'>;

/** Makes the text of the bytes from `start` to `end`. */
export type TextAt = (start: number, end: number) => string;

/** The slots of all rows as the library's encoder takes them, where a NULL is null among the values. */
export function pageDataOf(column: LeafColumn, type: string, rows: number, textAt: TextAt): PageData {
  const { isText, isRepeated, most, length } = column;
  const { slots, definitions, repetitions } = column.begun === rows ? column : withGaps(column, rows);
  const isTyped = slots === length && (type === 'DOUBLE' || type === 'INT32');
  const values: unknown[] = [];
  for (let slot = 0, index = 0; slot < slots && !isTyped; slot++) {
    const isNull = definitions[slot] !== most;
    values.push(isNull ? null : valueAt(column, type, index, textAt));
    if (!isNull) index += isText ? 2 : 1;
  }
  const levels = (of: Uint8Array) => of.subarray(0, slots) as unknown as number[];
  return {
    values: isTyped ? column.values.subarray(0, slots) : values,
    definitionLevels: levels(definitions),
    repetitionLevels: isRepeated ? levels(repetitions) : [],
    maxDefinitionLevel: most,
  };
}

function valueAt(
  { isText, values, large }: LeafColumn,
  type: string,
  index: number,
  textAt: TextAt,
): unknown {
  const value = values[index] as number;
  if (isText) return textAt(value, values[index + 1] as number);
  if (type === 'INT64') return large.get(index) ?? BigInt(value);
  return type === 'BOOLEAN' ? value === 1 : value;
}

/** With a NULL for each row that has no slot. */
function withGaps({ slots, begun, rows, ...column }: LeafColumn, count: number): Slots {
  const all = slots + count - begun;
  const definitions = new Uint8Array(all);
  const repetitions = new Uint8Array(all);
  let before = 0;
  for (let slot = 0; slot < slots; slot++) {
    const repetition = column.repetitions[slot] as number;
    if (repetition === 0) before += 1;
    const at = slot + (rows[slot] as number) + 1 - before;
    definitions[at] = column.definitions[slot] as number;
    repetitions[at] = repetition;
  }
  return { slots: all, definitions, repetitions };
}
