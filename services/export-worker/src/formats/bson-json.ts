import {
  array,
  boolean,
  document,
  documentEnd,
  double,
  int32,
  int64,
  keyEnd,
  type Memory,
  nil,
  notJson,
  string,
  valueEnd,
} from './bson-walk.ts';
import { type ByteSink, reserve, writeAscii } from './byte-sink.ts';
import { writeDouble, writeInt32 } from './json-number.ts';
import { writeJsonKey, writeJsonText } from './json-text.ts';

/** Writes a BSON value as JSON.stringify prints what it was made of. Throws on types that JSON does not have. */
export function writeJson(sink: ByteSink, source: Memory, type: number, at: number): void {
  // No value is more than six times as long in JSON: a control character is one byte and \u0000.
  reserve(sink, 6 * (valueEnd(source, type, at) - at) + 32);
  writeReserved(sink, source, type, at);
}

/** The same where there is room already. Returns the place behind the value. */
export function writeReserved(sink: ByteSink, source: Memory, type: number, at: number): number {
  switch (type) {
    case string: {
      const end = at + 4 + source.view.getInt32(at, true);
      writeJsonText(sink, source, at + 4, end - 1);
      return end;
    }
    case int32:
      writeInt32(sink, source.view.getInt32(at, true));
      return at + 4;
    case double:
      writeDouble(sink, source.view.getFloat64(at, true));
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
      writeAscii(sink, String(source.view.getBigInt64(at, true)));
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
