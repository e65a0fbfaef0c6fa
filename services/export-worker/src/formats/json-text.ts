import type { Memory } from './bson-walk.ts';
import type { ByteSink } from './byte-sink.ts';
import { copyPlain, fourTimes } from './copy-plain.ts';

const quotes = fourTimes('"');
const backslashes = fourTimes('\\');
const u = 0x75;
/** For each byte: what follows the backslash, or 0 where it is written as it is. */
const escapes = new Uint8Array(256).fill(u, 0, 0x20);
const short = Buffer.from('\bb\tt\nn\ff\rr""\\\\');
for (let i = 0; i < short.length; i += 2) escapes[short[i] as number] = short[i + 1] as number;

/** Writes UTF-8 as a JSON string, quotes included. The caller reserved six times its length and two. */
export function writeJsonText(sink: ByteSink, source: Memory, from: number, to: number): void {
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

/** Writes a key that ends with NUL; returns the place behind that. */
export function writeJsonKey(sink: ByteSink, { bytes }: Memory, from: number): number {
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
