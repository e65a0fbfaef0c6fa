import { array, binary, date, document, int32 } from './types.ts';

const name = (text: string, type: number) => Buffer.concat([Buffer.of(type), Buffer.from(`${text}\0`)]);
const keyName = name('_id', binary);
const payloadName = name('payload', document);
const onceName = name('once', binary);
const onceListName = name('once', array);
const elementNames = [name('0', binary), name('1', binary)];
const sentName = name('sent', binary);
const versionName = name('version', int32);
const receivedName = name('receivedAt', date);
const announcedName = name('announced', int32);
const byName = name('by', int32);

/** Binary data, as the driver's own class has it. */
interface Bytes {
  buffer: Uint8Array;
  position: number;
}

/** What an entry's document is written of. `bson`: the payload. */
export interface EntryFields<Data extends Bytes = Bytes> {
  key: Data;
  bson: Buffer;
  /** One or two hashes. */
  once?: Uint8Array[] | undefined;
  sent?: Data | undefined;
  version?: number | undefined;
  receivedAt?: Date | undefined;
  announced?: number | undefined;
  by?: number | undefined;
}

/** What is around a payload, at the most. */
const frameBytes = 200;

/** Documents `{_id, payload, once, sent, version, receivedAt, announced, by}`, one after the other. */
export function writeDocuments(entries: EntryFields[]): Buffer {
  const room = entries.reduce((sum, { bson }) => sum + bson.length + frameBytes, 0);
  const target = Buffer.allocUnsafe(room);
  return target.subarray(0, writeAll(entries, target));
}

function writeAll(entries: EntryFields[], target: Buffer): number {
  let at = 0;
  for (const { key, bson, once, sent, version = 1, receivedAt, announced, by } of entries) {
    const start = at;
    at = writeBinary(keyName, bytesOf(key), target, at + 4);
    at += payloadName.copy(target, at);
    at += bson.copy(target, at);
    if (once) at = writeOnce(once, target, at);
    if (sent) at = writeBinary(sentName, bytesOf(sent), target, at);
    if (version > 1) at = target.writeInt32LE(version, at + versionName.copy(target, at));
    if (receivedAt)
      at = target.writeBigInt64LE(BigInt(receivedAt.getTime()), at + receivedName.copy(target, at));
    if (announced) at = target.writeInt32LE(announced, at + announcedName.copy(target, at));
    if (by) at = target.writeInt32LE(by, at + byName.copy(target, at));
    target[at++] = 0;
    target.writeInt32LE(at - start, start);
  }
  return at;
}

/** One hash as it is, two as an array: so most entries are as small as they were before there were two. */
function writeOnce([first, second]: Uint8Array[], target: Buffer, start: number): number {
  if (!first) return start;
  if (!second) return writeBinary(onceName, first, target, start);
  const list = start + onceListName.copy(target, start);
  let at = list + 4;
  for (const [i, hash] of [first, second].entries())
    at = writeBinary(elementNames[i] as Buffer, hash, target, at);
  target[at++] = 0;
  target.writeInt32LE(at - list, list);
  return at;
}

const bytesOf = ({ buffer, position }: Bytes) => buffer.subarray(0, position);

/** Of subtype 0, as the driver writes them. */
function writeBinary(named: Buffer, bytes: Uint8Array, target: Buffer, start: number): number {
  let at = start + named.copy(target, start);
  at = target.writeInt32LE(bytes.length, at);
  target[at++] = 0;
  target.set(bytes, at);
  return at + bytes.length;
}

/** MongoDB's limit of a document, less what is around the payload. */
const maxPayloadBytes = 16 * 1024 ** 2 - 1_024;

export const fitsInDocument = (bson: Buffer): boolean => bson.length <= maxPayloadBytes;
