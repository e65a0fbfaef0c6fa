import { type EntryPlace, entryTime, idEnd, idStart, keyEnd, valueEnd } from './bson-walk.ts';
import { type ByteSink, reserve } from './byte-sink.ts';

const [binary, date] = [0x05, 0x09];
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

/** The version of the schema that an entry was validated with. */
export function versionOf(entry: EntryPlace): number {
  const at = behindPayload(entry, 'version');
  return at === undefined ? 1 : entry.view.getInt32(at, true);
}

/** When a replayed upload arrived; absent if the entry is no replayed upload. */
export function receivedAt(entry: EntryPlace): Date | undefined {
  const at = behindPayload(entry, 'receivedAt');
  return at === undefined ? undefined : new Date(Number(entry.view.getBigInt64(at, true)));
}

/** The position of the value of a member that follows the payload. */
function behindPayload(entry: EntryPlace, name: string): number | undefined {
  const { bytes, view, payload, end } = entry;
  for (let at = payload + view.getInt32(payload, true); at < end; ) {
    const type = bytes[at] as number;
    const value = keyEnd(entry, at + 1) + 1;
    if (bytes.toString('latin1', at + 1, value - 1) === name) return value;
    at =
      type === binary
        ? value + 5 + view.getInt32(value, true)
        : type === date
          ? value + 8
          : valueEnd(entry, type, value);
  }
  return undefined;
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
