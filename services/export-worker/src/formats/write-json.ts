import { array, boolean, document, double, int32, int64, nil, string } from '@sluice/bson/types.ts';
import {
  documentEnd,
  emptySize,
  int32At,
  int64At,
  keyEnd,
  type Memory,
  notJson,
  textEnd,
  textStart,
  valueEnd,
} from '@sluice/bson/values.ts';
import { type ByteSink, copyPlain, fourTimes, reserve, writeAscii } from './byte-sink.ts';
import { type FieldNode, findChild } from './field-tree.ts';
import { writeDouble, writeInt32 } from './json-number.ts';

/** Writes a BSON value as `JSON.stringify` prints it. Throws on types that JSON does not have. */
export function writeJson(sink: ByteSink, source: Memory, type: number, at: number): void {
  // JSON is at most six times as long: a control character becomes \u0000.
  reserve(sink, 6 * (valueEnd(source, type, at) - at) + 32);
  writeReserved(sink, source, type, at);
}

/** Like `writeJson`, in reserved space. Returns the position after the value. */
function writeReserved(sink: ByteSink, source: Memory, type: number, at: number): number {
  switch (type) {
    case string: {
      const end = textEnd(source, at);
      writeJsonText(sink, source, textStart(at), end);
      return end + 1;
    }
    case int32:
      writeInt32(sink, int32At(source, at));
      return at + 4;
    case double:
      writeDouble(sink, source, at);
      return at + 8;
    case document:
      return writeObject(sink, source, at);
    case array:
      return writeArray(sink, source, at);
    case boolean:
      writeAscii(sink, source.bytes[at] ? 'true' : 'false');
      return at + 1;
    case nil:
      writeAscii(sink, 'null');
      return at;
    case int64:
      writeAscii(sink, String(int64At(source, at)));
      return at + 8;
    default:
      throw notJson(type);
  }
}

function writeObject(sink: ByteSink, source: Memory, start: number): number {
  const target = sink.bytes;
  const { bytes } = source;
  const end = documentEnd(source, start);
  target[sink.length++] = 0x7b;
  for (let at = start + 4; at < end; ) {
    const type = bytes[at] as number;
    if (at > start + 4) target[sink.length++] = 0x2c;
    const value = writeJsonKey(sink, source, at + 1);
    target[sink.length++] = 0x3a;
    at = writeReserved(sink, source, type, value);
  }
  target[sink.length++] = 0x7d;
  return end + 1;
}

function writeArray(sink: ByteSink, source: Memory, start: number): number {
  const target = sink.bytes;
  const { bytes } = source;
  const end = documentEnd(source, start);
  target[sink.length++] = 0x5b;
  for (let at = start + 4; at < end; ) {
    const type = bytes[at] as number;
    if (at > start + 4) target[sink.length++] = 0x2c;
    at = writeReserved(sink, source, type, keyEnd(source, at + 1) + 1);
  }
  target[sink.length++] = 0x5d;
  return end + 1;
}

const quotes = fourTimes('"');
const backslashes = fourTimes('\\');
const u = 0x75;
/** For each byte: the letter after the backslash, or 0 if the byte needs no escape. */
const escapes = new Uint8Array(256).fill(u, 0, 0x20);
const short = Buffer.from('\bb\tt\nn\ff\rr""\\\\');
for (let i = 0; i < short.length; i += 2) escapes[short[i] as number] = short[i + 1] as number;

/** Writes UTF-8 as a JSON string with its quotes. The caller reserves six times the length plus two bytes. */
function writeJsonText(sink: ByteSink, source: Memory, from: number, to: number): void {
  const { bytes } = source;
  const target = sink.bytes;
  target[sink.length++] = 0x22;
  for (let at = from; at < to; ) {
    at = copyPlain(sink, source, at, to, quotes, backslashes);
    let length = sink.length;
    for (const stop = Math.min(at + 4, to); at < stop; at++) {
      const byte = bytes[at] as number;
      const letter = escapes[byte] as number;
      if (letter === 0) target[length++] = byte;
      else length = writeEscape(target, length, byte, letter);
    }
    sink.length = length;
  }
  target[sink.length++] = 0x22;
}

/** Writes a key that ends with NUL. Returns the position after the NUL. */
function writeJsonKey(sink: ByteSink, { bytes }: Memory, from: number): number {
  const target = sink.bytes;
  let length = sink.length;
  target[length++] = 0x22;
  let at = from;
  for (;;) {
    const byte = bytes[at++] as number;
    const letter = escapes[byte] as number;
    if (letter === 0) target[length++] = byte;
    else if (!byte) break;
    else length = writeEscape(target, length, byte, letter);
  }
  target[length++] = 0x22;
  sink.length = length;
  return at;
}

function writeEscape(target: Buffer, at: number, byte: number, letter: number): number {
  target[at] = 0x5c;
  target[at + 1] = letter;
  if (letter !== u) return at + 2;
  target[at + 2] = 0x30;
  target[at + 3] = 0x30;
  target[at + 4] = 0x30 + (byte >> 4);
  target[at + 5] = (byte & 15) < 10 ? 0x30 + (byte & 15) : 0x57 + (byte & 15);
  return at + 6;
}

/** Keeps the fields that have a place, or the fields without a column. */
type Kept = 'placed' | 'others';

/** Writes an object with only the kept fields. The nesting stays. */
export function writePruned(
  sink: ByteSink,
  source: Memory,
  start: number,
  tree: FieldNode,
  kept: Kept = 'placed',
): void {
  reserve(sink, 6 * (documentEnd(source, start) - start) + 32);
  writeMembers(sink, source, start, tree, kept);
}

/** Returns whether a field was kept. */
function writeMembers(sink: ByteSink, source: Memory, start: number, parent: FieldNode, kept: Kept): boolean {
  const { bytes } = sink;
  const end = documentEnd(source, start);
  let before: FieldNode | undefined;
  let some = false;
  bytes[sink.length++] = 0x7b;
  for (let at = start + 4; at < end; ) {
    const type = source.bytes[at] as number;
    const key = at + 1;
    const value = keyEnd(source, key) + 1;
    at = valueEnd(source, type, value);
    const node = findChild(parent, before, source, key);
    if (node) before = node;
    const isNested = type === document && at - value > emptySize && !node?.isWhole;
    const below = isNested ? node : undefined;
    const isKept =
      kept === 'placed' ? (below ? below.wanted : node && node.place >= 0) : below || !node?.column;
    if (!isKept) continue;
    const start = sink.length;
    if (some) bytes[sink.length++] = 0x2c;
    writeJsonKey(sink, source, key);
    bytes[sink.length++] = 0x3a;
    if (!below) writeReserved(sink, source, type, value);
    else if (!writeMembers(sink, source, value, below, kept)) {
      sink.length = start;
      continue;
    }
    some = true;
  }
  bytes[sink.length++] = 0x7d;
  return some;
}
