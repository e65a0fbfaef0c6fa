import { type EntryPlace, idEnd, idStart, keyEnd, valueEnd } from './bson-walk.ts';
import { type ByteSink, reserve } from './byte-sink.ts';

const [binary, date] = [0x05, 0x09];
const digits = Buffer.from('0123456789abcdef');

/** Writes the id of an entry. */
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

/** When an upload came that was refused first and replayed later. */
export function receivedAt(entry: EntryPlace): Date | undefined {
  const at = behindPayload(entry, 'receivedAt');
  return at === undefined ? undefined : new Date(Number(entry.view.getBigInt64(at, true)));
}

/** The place of the value of a member that documents have behind the payload. */
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
