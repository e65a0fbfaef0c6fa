import { type EntryPlace, entryTime } from './bson-walk.ts';
import { type ByteSink, reserve } from './byte-sink.ts';

/** Writes the time of an entry, as toISOString does. Entries come by time, so a second's text serves many. */
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
