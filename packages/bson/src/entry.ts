import {
  documentEnd,
  emptySize,
  int32At,
  int64At,
  keyEnd,
  type Memory,
  memoryOf,
  valueEnd,
} from './values.ts';

// The document of an entry begins with its length, then `_id`, which is binary: 12 bytes of the application, 14 of the entry's id. Then comes
// `payload`; see docs/decisions/0007-layout-of-entries.md.
const keyStart = 14;
const keyEndsAt = 40;
/** Range of the entry's id in its key. */
export const [idStart, idEnd] = [12, 26];
const idAt = keyStart + idStart;
const payloadName = Buffer.from('\x03payload\0');
const payloadStart = keyEndsAt + payloadName.length;

/** The key under which the document is stored: 26 bytes. */
export const keyBytesOf = (document: Uint8Array): Uint8Array => document.subarray(keyStart, keyEndsAt);

export const idOf = (document: Buffer): string => document.toString('hex', idAt, keyEndsAt);

/** In ms since the epoch. */
export const timeOf = (document: Buffer): number => document.readUIntBE(idAt, 6);

/** Whether the payload follows `_id`. */
export const hasPayload = (document: Buffer): boolean =>
  payloadName.equals(document.subarray(keyEndsAt, payloadStart));

/** Positions of an entry's parts: its key (26 bytes), its payload, and the NUL after its last member. */
export interface EntryPlace extends Memory {
  key: number;
  payload: number;
  end: number;
}

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

function locate(place: EntryPlace, start: number, length: number): void {
  const { bytes } = place;
  if (length < emptySize || int32At(place, start) !== length) throw new Error('not a BSON document');
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

/** The version of the schema that an entry was validated with. */
export function versionOf(entry: EntryPlace): number {
  const at = behindPayload(entry, 'version');
  return at === undefined ? 1 : int32At(entry, at);
}

/** When a replayed upload arrived; absent if the entry is no replayed upload. */
export function receivedAt(entry: EntryPlace): Date | undefined {
  const at = behindPayload(entry, 'receivedAt');
  return at === undefined ? undefined : new Date(Number(int64At(entry, at)));
}

/** The version that announced an entry; 0 for all but those of imports with times of their own. */
export function announcedIn(entry: EntryPlace): number {
  const at = behindPayload(entry, 'announced');
  return at === undefined ? 0 : int32At(entry, at);
}

/** The number of who sent an entry; 0: a single upload without a key. See `senderStore`. */
export function senderIn(entry: EntryPlace): number {
  const at = behindPayload(entry, 'by');
  return at === undefined ? 0 : int32At(entry, at);
}

/** The position of the value of a member that follows the payload. */
function behindPayload(entry: EntryPlace, name: string): number | undefined {
  const { bytes, payload, end } = entry;
  for (let at = documentEnd(entry, payload) + 1; at < end; ) {
    const value = keyEnd(entry, at + 1) + 1;
    if (bytes.toString('latin1', at + 1, value - 1) === name) return value;
    at = valueEnd(entry, bytes[at] as number, value);
  }
  return undefined;
}
