import type { Memory } from './bson-walk.ts';
import type { ByteSink } from './byte-sink.ts';

/** A character four times, to look for it in four bytes at once. */
export const fourTimes = (character: string) => character.charCodeAt(0) * 0x01010101;

/**
 * Copies four bytes at a time, up to four among which is one of two characters or one below space. Returns the
 * place of those in the source, or of the last bytes where they are fewer than four.
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
    // The high bit of a byte is set where taking away borrows: where the byte was less.
    const less = ((word - 0x20202020) & ~word) | ((one - 0x01010101) & ~one) | ((two - 0x01010101) & ~two);
    if ((less & 0x80808080) !== 0) break;
    write.setInt32(at + shift, word, true);
  }
  sink.length = at + shift;
  return at;
}
