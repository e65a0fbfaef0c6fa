/**
 * Before each line of a chunk come 8 bytes, little-endian: the line's number in the client's file, and its length.
 * So a line can hold line ends, and workers need not search for them.
 */
export const frameHead = 8;

/** Added to the length if the line was over the limit and was cut. */
const cutMark = 2 ** 31;
/** A cut line keeps a little more than a report shows. */
export const cutBytes = 64 * 1024 + 4;
export const maxLines = 2 ** 32 - 1;

export interface Frame {
  line: number;
  bytes: Buffer;
  isCut: boolean;
}

/** Writes the head of a line whose bytes are already in place behind it. */
export function writeHead(data: Buffer, at: number, line: number, length: number, isCut: boolean): void {
  data.writeUInt32LE(line, at);
  data.writeUInt32LE(isCut ? length + cutMark : length, at + 4);
}

export function* framesOf(data: Buffer): Generator<Frame> {
  for (let at = 0; at < data.length; ) {
    const line = data.readUInt32LE(at);
    const marked = data.readUInt32LE(at + 4);
    const isCut = marked >= cutMark;
    const end = at + frameHead + (isCut ? marked - cutMark : marked);
    yield { line, bytes: data.subarray(at + frameHead, end), isCut };
    at = end;
  }
}
