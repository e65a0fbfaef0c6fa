/** Memory with several documents. Positions count from the start of the memory. */
export interface Memory {
  bytes: Buffer;
  view: DataView;
}

/** Positions of an entry's parts: its key (26 bytes), its payload, and the NUL after its last member. */
export interface EntryPlace extends Memory {
  key: number;
  payload: number;
  end: number;
}

// BSON types of JSON values. The driver writes no int64, but other programs may.
export const double = 0x01;
export const string = 0x02;
export const document = 0x03;
export const array = 0x04;
export const boolean = 0x08;
export const nil = 0x0a;
export const int32 = 0x10;
export const int64 = 0x12;
/** Bytes of an empty document: its length and its NUL. */
export const emptySize = 5;

// A document begins with its length, then `_id`, which is binary, then `payload`; see docs/decisions/0007-layout-of-entries.md.
const keyStart = 14;
const keyEndsAt = 40;
/** Range of the entry's id in its key. */
export const [idStart, idEnd] = [12, 26];
const payloadStart = 49;
const payloadName = Buffer.from('\x03payload\0');

/** Finds the parts of an entry. Every call returns the same object. */
export function createEntryReader(): (entry: Buffer) => EntryPlace {
  const place: EntryPlace = { ...memoryOf(Buffer.alloc(0)), key: 0, payload: 0, end: 0 };
  return (entry) => {
    // The entries of one reply of MongoDB share their memory.
    if (entry.buffer !== place.view.buffer) Object.assign(place, memoryOf(entry));
    locate(place, entry.byteOffset, entry.length);
    return place;
  };
}

function memoryOf({ buffer }: Buffer): Memory {
  return { bytes: Buffer.from(buffer), view: new DataView(buffer) };
}

function locate(place: EntryPlace, start: number, length: number): void {
  const { bytes, view } = place;
  if (length < emptySize || view.getInt32(start, true) !== length) throw new Error('not a BSON document');
  for (let i = 0; i < payloadName.length; i++)
    if (bytes[start + keyEndsAt + i] !== payloadName[i]) throw new Error('not the document of an entry');
  place.key = start + keyStart;
  place.payload = start + payloadStart;
  place.end = start + length - 1;
}

export function entryId({ bytes, key }: EntryPlace): string {
  return bytes.toString('hex', key + idStart, key + idEnd);
}

/** Milliseconds since 1970. */
export function entryTime({ view, key }: EntryPlace): number {
  return view.getUint16(key + idStart) * 2 ** 32 + view.getUint32(key + idStart + 2);
}

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

/** The position after a value. */
export function valueEnd({ view }: Memory, type: number, at: number): number {
  switch (type) {
    case string:
      return at + 4 + view.getInt32(at, true);
    case document:
    case array:
      return at + view.getInt32(at, true);
    case double:
    case int64:
      return at + 8;
    case int32:
      return at + 4;
    case boolean:
      return at + 1;
    case nil:
      return at;
    default:
      throw notJson(type);
  }
}

/** Visits the members of an object, or the elements of an array. */
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
  while (at < end && source.bytes[at] === document)
    at = valueEnd(source, document, keyEnd(source, at + 1) + 1);
  return at === end && end > start + 4;
}

export function notJson(type: number): Error {
  return new Error(`a payload holds the BSON type ${type}, which JSON does not have`);
}
