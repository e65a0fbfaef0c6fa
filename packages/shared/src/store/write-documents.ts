import type { Binary } from 'mongodb';
import { bsonRoom, writeBson } from '../payloads/write-bson.ts';

// https://bsonspec.org/spec.html
const [subdocument, binary] = [0x03, 0x05];
const name = (text: string, type: number) => Buffer.concat([Buffer.of(type), Buffer.from(`${text}\0`)]);
const keyName = name('_id', binary);
const payloadName = name('payload', subdocument);
const onceName = name('once', binary);

interface Entry {
  key: Binary;
  json: Buffer;
  once?: Binary | undefined;
}

/** What is around a payload, at the most. */
const frameBytes = 128;
/** Used again and again, more than nearly every command takes; what is never written takes no memory. */
const usualBytes = 16 * 1024 ** 2;
let usual: Buffer | undefined;

/** Documents `{_id, payload, once}`, one after the other. */
export function writeDocuments(entries: Entry[]): Buffer {
  const room = entries.reduce((sum, { json }) => sum + bsonRoom(json) + frameBytes, 0);
  if (room > usualBytes) {
    const own = Buffer.allocUnsafeSlow(room);
    return own.subarray(0, writeAll(entries, own));
  }
  usual ??= Buffer.allocUnsafeSlow(usualBytes);
  return Buffer.from(usual.subarray(0, writeAll(entries, usual)));
}

function writeAll(entries: Entry[], target: Buffer): number {
  let at = 0;
  for (const { key, json, once } of entries) {
    const start = at;
    at = writeBinary(keyName, key, target, at + 4);
    at += payloadName.copy(target, at);
    at = writeBson(json, target, at);
    if (once) at = writeBinary(onceName, once, target, at);
    target[at++] = 0;
    target.writeInt32LE(at - start, start);
  }
  return at;
}

/** Of subtype 0, as the driver writes them. */
function writeBinary(named: Buffer, { buffer, position }: Binary, target: Buffer, start: number): number {
  let at = start + named.copy(target, start);
  at = target.writeInt32LE(position, at);
  target[at++] = 0;
  target.set(buffer.subarray(0, position), at);
  return at + position;
}
