/** A file in the archive; numbers of bytes, and of the place where its header is. */
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
/** From here on a number does not fit, since that one says that it is elsewhere. */
const max32 = 0xffffffff;
const max16 = 0xffff;
const zip64Id = 0x0001;

/** A number with its width in bytes. */
type Field = [width: 2 | 4 | 8, value: number];

function pack(fields: Field[], ...text: string[]): Buffer {
  const bytes = Buffer.alloc(fields.reduce((sum, [width]) => sum + width, 0));
  let at = 0;
  for (const [width, value] of fields) {
    if (width === 8) bytes.writeBigUInt64LE(BigInt(value), at);
    else bytes.writeUIntLE(value, at, width);
    at += width;
  }
  return Buffer.concat([bytes, ...text.map((part) => Buffer.from(part))]);
}

/** Before the data of a file. */
export function localHeader(name: string, time: Date): Buffer {
  const sizes: Field[] = [4, 4, 4].map(() => [4, 0]);
  return pack(
    [[4, 0x04034b50], [2, version], [2, flags], [2, deflate], ...timeOf(time), ...sizes, ...lengths(name, 0)],
    name,
  );
}

/** Behind the data of a file. Where the sizes do not fit four bytes they have eight, as with Go's archive/zip. */
export function dataDescriptor({ crc, packed, size }: ZipEntry): Buffer {
  const width = Math.max(packed, size) >= max32 ? 8 : 4;
  return pack([
    [4, 0x08074b50],
    [4, crc],
    [width, packed],
    [width, size],
  ]);
}

/** Behind all files: the directory, which begins at `start`, and its end. */
export function directory(entries: ZipEntry[], time: Date, start: number): Buffer {
  const headers = Buffer.concat(entries.map((entry) => header(entry, time)));
  const { length } = headers;
  const needs64 = entries.length >= max16 || length >= max32 || start >= max32;
  return Buffer.concat([
    headers,
    ...(needs64 ? [end64(entries.length, length, start)] : []),
    end(entries.length, length, start),
  ]);
}

function header({ name, crc, packed, size, start }: ZipEntry, time: Date): Buffer {
  const needs64 = Math.max(packed, size, start) >= max32;
  const extra: Field[] = needs64
    ? [
        [2, zip64Id],
        [2, 24],
        [8, size],
        [8, packed],
        [8, start],
      ]
    : [];
  const here = (value: number): Field => [4, needs64 ? max32 : value];
  const needed: Field = [2, needs64 ? version64 : version];
  const head = pack(
    [
      [4, 0x02014b50],
      needed,
      needed,
      [2, flags],
      [2, deflate],
      ...timeOf(time),
      [4, crc],
      here(packed),
      here(size),
      ...lengths(name, needs64 ? 28 : 0),
      // No comment, on the first disk, no attributes.
      ...([2, 2, 2, 4] as const).map((width): Field => [width, 0]),
      here(start),
    ],
    name,
  );
  return Buffer.concat([head, pack(extra)]);
}

function end64(count: number, length: number, start: number): Buffer {
  return pack([
    [4, 0x06064b50],
    [8, 44],
    [2, version64],
    [2, version64],
    [4, 0],
    [4, 0],
    [8, count],
    [8, count],
    [8, length],
    [8, start],
    // Where this record is.
    [4, 0x07064b50],
    [4, 0],
    [8, start + length],
    [4, 1],
  ]);
}

function end(count: number, length: number, start: number): Buffer {
  const files: Field = [2, Math.min(count, max16)];
  return pack([
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    files,
    files,
    [4, Math.min(length, max32)],
    [4, Math.min(start, max32)],
    [2, 0],
  ]);
}

const lengths = (name: string, extra: number): Field[] => [
  [2, Buffer.byteLength(name)],
  [2, extra],
];

/** In UTC: two seconds are one step, and years count from 1980. */
function timeOf(time: Date): Field[] {
  const seconds = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  const years = Math.max(time.getUTCFullYear() - 1980, 0);
  return [
    [2, seconds],
    [2, (years << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate()],
  ];
}
