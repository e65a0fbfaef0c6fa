import type { Memory } from '@sluice/bson/values.ts';

/** A growing buffer. A writer reserves space, writes at `length`, and then advances `length`. */
export interface ByteSink {
  /** Replaced when the sink grows: read it again after each `reserve`. */
  bytes: Buffer;
  /** A view of the same memory. */
  view: DataView;
  length: number;
}

const firstCapacity = 1024 ** 2;
/** A larger buffer is freed after use. */
const keptCapacity = 64 * 1024 ** 2;

export function createByteSink(capacity: number = firstCapacity): ByteSink {
  return { ...allocate(capacity), length: 0 };
}

export function reserve(sink: ByteSink, more: number): void {
  if (sink.length + more > sink.bytes.length) grow(sink, more);
}

/** Returns a copy of the bytes, and empties the sink. */
export function takeBytes(sink: ByteSink): Buffer {
  const taken = Buffer.allocUnsafeSlow(sink.length);
  sink.bytes.copy(taken, 0, 0, sink.length);
  clear(sink);
  return taken;
}

export function clear(sink: ByteSink): void {
  sink.length = 0;
  if (sink.bytes.length > keptCapacity) Object.assign(sink, allocate(firstCapacity));
}

/** Writes a string of ASCII characters. */
export function writeAscii(sink: ByteSink, text: string): void {
  reserve(sink, text.length);
  const { bytes, length } = sink;
  for (let i = 0; i < text.length; i++) bytes[length + i] = text.charCodeAt(i);
  sink.length = length + text.length;
}

export function writeBytes(sink: ByteSink, bytes: Buffer, from: number, to: number): void {
  reserve(sink, to - from);
  sink.length += bytes.copy(sink.bytes, sink.length, from, to);
}

function grow(sink: ByteSink, more: number): void {
  const { bytes, length } = sink;
  Object.assign(sink, allocate(Math.max(2 * bytes.length, length + more)));
  bytes.copy(sink.bytes, 0, 0, length);
}

function allocate(capacity: number) {
  const bytes = Buffer.allocUnsafeSlow(capacity);
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, capacity) };
}

/** Repeats a character in four bytes, so that `copyPlain` compares four bytes at once. */
export const fourTimes = (character: string) => character.charCodeAt(0) * 0x01010101;

/**
 * Copies four bytes at a time. Stops before four bytes that have a control character or one of two other characters.
 * Returns the position of the first byte that is not copied; up to three bytes at the end are never copied.
 */
export function copyPlain(
  sink: ByteSink,
  source: Memory,
  from: number,
  to: number,
  first: number,
  second: number,
): number {
  const read = source.view;
  const write = sink.view;
  const last = to - 4;
  const shift = sink.length - from;
  let at = from;
  for (; at <= last; at += 4) {
    const word = read.getInt32(at, true);
    const one = word ^ first;
    const two = word ^ second;
    // A subtraction that borrows sets the high bit of a byte: the byte was less.
    const less = ((word - 0x20202020) & ~word) | ((one - 0x01010101) & ~one) | ((two - 0x01010101) & ~two);
    if ((less & 0x80808080) !== 0) break;
    write.setInt32(at + shift, word, true);
  }
  sink.length = at + shift;
  return at;
}
