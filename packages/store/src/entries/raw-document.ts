import { Binary } from 'mongodb';
import type { EntryId } from './entry-id.ts';

// A document begins with its length (4), then `_id`: type (1), name (4), length (4), subtype (1), 12 bytes of the application.
const [keyStart, idStart, idEnd] = [14, 26, 40];
const payloadName = Buffer.from('\x03payload\0');
const payloadEnd = idEnd + payloadName.length;

/** The 14 bytes of the id of an entry, in the BSON of its document; MongoDB puts `_id` first. */
export const idBytesOf = (document: Buffer): Buffer => document.subarray(idStart, idEnd);

/** The key under which the document is stored. */
export const keyIn = (document: Uint8Array): Binary => new Binary(document.subarray(keyStart, idEnd));

export const idOf = (document: Buffer): EntryId => document.toString('hex', idStart, idEnd);

/** Whether something is behind the id of an entry that is called as its payload is. */
export const hasPayload = (document: Buffer): boolean =>
  payloadName.equals(document.subarray(idEnd, payloadEnd));

/** In ms since the epoch. */
export const timeOf = (document: Buffer): number => document.readUIntBE(idStart, 6);

const [double, array, boolean, timestamp, int32, int64, string] = [0x01, 0x04, 0x08, 0x11, 0x10, 0x12, 0x02];
const lengths = new Map([
  [double, 8],
  [boolean, 1],
  [timestamp, 8],
  [int32, 4],
  [int64, 8],
]);

/** The documents in the `cursor` of a reply that was left as BSON. They share its memory. */
export function firstBatch(cursor: Uint8Array): Buffer[] {
  const bytes = Buffer.from(cursor.buffer, cursor.byteOffset, cursor.length);
  for (let at = 4; bytes[at] !== 0; ) {
    const type = bytes[at] as number;
    const name = bytes.indexOf(0, at + 1);
    at = name + 1;
    const fixed = lengths.get(type);
    if (fixed !== undefined) at += fixed;
    else if (type === string) at += 4 + bytes.readInt32LE(at);
    else if (type === array) return elements(bytes, at);
    else throw new Error(`unexpected type ${type} in the cursor of a reply`);
  }
  throw new Error('a reply without documents');
}

function elements(bytes: Buffer, start: number): Buffer[] {
  const found: Buffer[] = [];
  for (let at = start + 4; bytes[at] !== 0; ) {
    const begin = bytes.indexOf(0, at + 1) + 1;
    at = begin + bytes.readInt32LE(begin);
    found.push(bytes.subarray(begin, at));
  }
  return found;
}
