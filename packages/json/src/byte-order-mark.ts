/** Every text that people hand over may begin with one byte order mark, which many editors write. */
export function withoutByteOrderMark<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? (bytes.subarray(3) as Bytes) : bytes;
}

/** The same for a text that was decoded. */
export const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

/** A later line must not begin with one. The reader ignores the first mark, so a second one makes it refuse the line. */
export const keepMark = (line: Buffer): Buffer =>
  withoutByteOrderMark(line) === line ? line : Buffer.concat([line.subarray(0, 3), line]);

/** Why a later line is refused that begins with one: the mark would become a part of a value. */
export const laterMark = 'only the start of a file may have one, and joined files have more: remove it';
