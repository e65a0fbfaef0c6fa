/**
 * The lines of a chunk as the API hands them to the workers. Each has 8 bytes before it, little-endian: its number as
 * the client counts, and its length. So a line can hold line ends, and nobody looks for them twice.
 */
export const frameHead = 8;

/** In the length: the line was over the limit, and this is its begin. */
const cutMark = 2 ** 31;
/** Of a line over the limit so much is kept: a little more than a report shows. */
export const cutBytes = 64 * 1024 + 4;
export const maxLines = 2 ** 32 - 1;

export interface Frame {
  line: number;
  bytes: Buffer;
  isCut: boolean;
}

/** Writes what stands before a line that is there already, `length` bytes behind `at`. */
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
