/** A file in the archive. Sizes are in bytes; `start` is the position of its header. */
export interface ZipEntry {
  name: string;
  crc: number;
  packed: number;
  size: number;
  start: number;
}

// APPNOTE.TXT of PKWARE, 6.3.10: sizes follow the data (bit 3), names are UTF-8 (bit 11), method 8 is deflate.
const flags = 0x0808;
const deflate = 8;
const version = 20;
const version64 = 45;
/** The largest numbers: a field with this value means that the number is in a ZIP64 record. */
const max32 = 0xffffffff;
const max16 = 0xffff;
const zip64Id = 0x0001;

/** Packs numbers, little-endian. Each digit of `widths` is the width of a number in bytes. */
function pack(widths: string, values: number[]): Buffer {
  const bytes = Buffer.alloc([...widths].reduce((sum, width) => sum + Number(width), 0));
  let at = 0;
  for (const [index, value] of values.entries()) {
    const width = Number(widths[index]);
    if (width === 8) bytes.writeBigUInt64LE(BigInt(value), at);
    else bytes.writeUIntLE(value, at, width);
    at += width;
  }
  return bytes;
}

/** The header before the data of a file. The sizes are zero: they follow in the data descriptor. */
export function localHeader(name: string, time: Date): Buffer {
  const head = [0x04034b50, version, flags, deflate, ...timeOf(time), 0, 0, 0, Buffer.byteLength(name), 0];
  return Buffer.concat([pack('42222244422', head), Buffer.from(name)]);
}

/** The record after the data of a file. Sizes beyond four bytes have eight, as in Go's archive/zip. */
export function dataDescriptor({ crc, packed, size }: ZipEntry): Buffer {
  const width = Math.max(packed, size) >= max32 ? 8 : 4;
  return pack(`44${width}${width}`, [0x08074b50, crc, packed, size]);
}

/** The directory, which begins at `start`, and the end of the archive. */
export function directory(entries: ZipEntry[], time: Date, start: number): Buffer {
  const headers = Buffer.concat(entries.map((entry) => header(entry, time)));
  const { length } = headers;
  const count = entries.length;
  const needs64 = count >= max16 || length >= max32 || start >= max32;
  const files = Math.min(count, max16);
  const end = [0x06054b50, 0, 0, files, files, Math.min(length, max32), Math.min(start, max32), 0];
  const records = needs64 ? [headers, end64(count, length, start)] : [headers];
  return Buffer.concat([...records, pack('42222442', end)]);
}

function header({ name, crc, packed, size, start }: ZipEntry, time: Date): Buffer {
  const needs64 = Math.max(packed, size, start) >= max32;
  const here = (value: number) => (needs64 ? max32 : value);
  const needed = needs64 ? version64 : version;
  const extra = needs64 ? pack('22888', [zip64Id, 24, size, packed, start]) : Buffer.alloc(0);
  return Buffer.concat([
    pack('4222222', [0x02014b50, needed, needed, flags, deflate, ...timeOf(time)]),
    pack('444', [crc, here(packed), here(size)]),
    // No comment, on the first disk, no attributes.
    pack('2222244', [Buffer.byteLength(name), extra.length, 0, 0, 0, 0, here(start)]),
    Buffer.from(name),
    extra,
  ]);
}

function end64(count: number, length: number, start: number): Buffer {
  const end = [0x06064b50, 44, version64, version64, 0, 0, count, count, length, start];
  const locator = [0x07064b50, 0, start + length, 1];
  return pack('48224488884484', [...end, ...locator]);
}

/** In UTC, in steps of two seconds; years count from 1980. */
function timeOf(time: Date): number[] {
  const seconds = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  const years = Math.max(time.getUTCFullYear() - 1980, 0);
  return [seconds, (years << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate()];
}
