import { type EntryPlace, entryTime, idEnd, idStart } from '@sluice/bson/entry.ts';
import { type ByteSink, reserve } from './byte-sink.ts';

const digits = Buffer.from('0123456789abcdef');

export function writeId(sink: ByteSink, { bytes: source, key }: EntryPlace): void {
  reserve(sink, 2 * (idEnd - idStart));
  const { bytes } = sink;
  let { length } = sink;
  for (let at = key + idStart; at < key + idEnd; at++) {
    const byte = source[at] as number;
    bytes[length++] = digits[byte >> 4] as number;
    bytes[length++] = digits[byte & 15] as number;
  }
  sink.length = length;
}

/** Writes the time of an entry like `toISOString`. Entries are in time order, so one text per second is reused. */
export function createTimeWriter(): (sink: ByteSink, entry: EntryPlace) => void {
  let second = -1;
  let text = Buffer.alloc(0);
  return (sink, entry) => {
    const time = entryTime(entry);
    const now = Math.floor(time / 1_000);
    if (now !== second) {
      second = now;
      text = Buffer.from(new Date(time).toISOString().slice(0, -4));
    }
    reserve(sink, text.length + 4);
    const ms = time - now * 1_000;
    const { bytes } = sink;
    let { length } = sink;
    for (let i = 0; i < text.length; i++) bytes[length++] = text[i] as number;
    bytes[length] = 0x30 + ((ms / 100) | 0);
    bytes[length + 1] = 0x30 + (((ms / 10) | 0) % 10);
    bytes[length + 2] = 0x30 + (ms % 10);
    bytes[length + 3] = 0x5a;
    sink.length = length + 4;
  };
}
