import { array } from './types.ts';
import { documentEnd, eachMember, emptySize, keyEnd, memoryOf, valueEnd } from './values.ts';

/** The documents in the `cursor` of a reply that was left as BSON. They share its memory. */
export function firstBatch(cursor: Uint8Array): Buffer[] {
  const memory = memoryOf(cursor);
  const { bytes } = memory;
  const documents: Buffer[] = [];
  for (let at = cursor.byteOffset + 4; bytes[at] !== 0; ) {
    const type = bytes[at] as number;
    const value = keyEnd(memory, at + 1) + 1;
    if (type !== array) {
      at = valueEnd(memory, type, value);
      continue;
    }
    eachMember(memory, value, (_type, start) =>
      documents.push(bytes.subarray(start, documentEnd(memory, start) + 1)),
    );
    return documents;
  }
  throw new Error('a reply without documents');
}

/** Splits documents that lie one after the other. Undefined if one has no valid length. */
export function splitDocuments(bson: Buffer): Buffer[] | undefined {
  const documents: Buffer[] = [];
  for (let at = 0; at < bson.length; ) {
    const length = at + 4 <= bson.length ? bson.readInt32LE(at) : 0;
    if (length < emptySize || at + length > bson.length) return undefined;
    documents.push(bson.subarray(at, at + length));
    at += length;
  }
  return documents;
}

/** The last member of a document, which is an int32. */
export const lastInt32 = (document: Buffer): number => document.readInt32LE(document.length - 5);
