import * as types from './types.ts';

/** Memory with several documents. Positions count from the start of the memory. */
export interface Memory {
  bytes: Buffer;
  view: DataView;
}

export function memoryOf({ buffer }: Uint8Array): Memory {
  return { bytes: Buffer.from(buffer), view: new DataView(buffer) };
}

/** Bytes of an empty document: its length and its NUL. */
export const emptySize = 5;

/** The position of the NUL at the end of a key. */
export function keyEnd({ bytes }: Memory, at: number): number {
  let end = at;
  while (bytes[end]) end++;
  return end;
}

/** The position of the last NUL of a document that begins at `at`. */
export function documentEnd({ view }: Memory, at: number): number {
  return at + view.getInt32(at, true) - 1;
}

export const isEmpty = ({ view }: Memory, at: number): boolean => view.getInt32(at, true) === emptySize;

/** The range of a string's bytes in UTF-8: before them is their length, behind them a NUL. */
export const textStart = (at: number): number => at + 4;
export const textEnd = ({ view }: Memory, at: number): number => at + 3 + view.getInt32(at, true);

export const int32At = ({ view }: Memory, at: number): number => view.getInt32(at, true);
export const int64At = ({ view }: Memory, at: number): bigint => view.getBigInt64(at, true);
export const doubleAt = ({ view }: Memory, at: number): number => view.getFloat64(at, true);

export function valueEnd({ view }: Memory, type: number, at: number): number {
  switch (type) {
    case types.string:
      return at + 4 + view.getInt32(at, true);
    case types.document:
    case types.array:
      return at + view.getInt32(at, true);
    case types.double:
    case types.int64:
    case types.date:
    case types.timestamp:
      return at + 8;
    case types.int32:
      return at + 4;
    case types.boolean:
      return at + 1;
    case types.nil:
      return at;
    case types.binary:
      return at + 5 + view.getInt32(at, true);
    default:
      throw notJson(type);
  }
}

export function eachMember(
  source: Memory,
  start: number,
  visit: (type: number, value: number, key: number, index: number) => void,
): void {
  const end = documentEnd(source, start);
  for (let at = start + 4, index = 0; at < end; index++) {
    const type = source.bytes[at] as number;
    const value = keyEnd(source, at + 1) + 1;
    visit(type, value, at + 1, index);
    at = valueEnd(source, type, value);
  }
}

/** Whether an array is not empty and has only objects. */
export function hasOnlyObjects(source: Memory, start: number): boolean {
  const end = documentEnd(source, start);
  let at = start + 4;
  while (at < end && source.bytes[at] === types.document)
    at = valueEnd(source, types.document, keyEnd(source, at + 1) + 1);
  return at === end && end > start + 4;
}

export function notJson(type: number): Error {
  return new Error(`a payload holds the BSON type ${type}, which JSON does not have`);
}
