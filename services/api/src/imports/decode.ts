import { createGunzip, createZstdDecompress } from 'node:zlib';
import { ApiError } from '@sluice/shared/errors.ts';

type Bytes = AsyncIterable<Buffer>;
export type Encoding = 'gzip' | 'zstd';

const encodings: Record<string, Encoding | undefined> = { gzip: 'gzip', 'x-gzip': 'gzip', zstd: 'zstd' };
const marks: [Encoding, Buffer][] = [
  ['gzip', Buffer.from([0x1f, 0x8b])],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
];
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
/** More than any of the marks. */
const headBytes = 4;
/** What is scanned in one turn. */
const pieceBytes = 64 * 1024;

/** The encoding that a header names; undefined for none. Throws ApiError. */
export function encodingOf(header: string | undefined): Encoding | undefined {
  const name = (header ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return undefined;
  const encoding = encodings[name];
  if (encoding) return encoding;
  throw new ApiError(
    'UnsupportedMediaTypeError',
    `Content-Encoding ${name.slice(0, 40)} is not taken here, only gzip and zstd`,
  );
}

/** The body as it was before its encoding, which is found by its first bytes where no header told. Throws ApiError. */
export async function* decode(body: Bytes, told: Encoding | undefined): Bytes {
  const [head, all] = await peek(body);
  const found = marks.find(([, mark]) => head.subarray(0, mark.length).equals(mark))?.[0];
  if (told && told !== found) throw malformed(`the body is not ${told}, as its header Content-Encoding says`);
  yield* withoutMark(found ? decompress(all, found) : all);
}

async function* decompress(body: Bytes, encoding: Encoding): Bytes {
  const decoder =
    encoding === 'gzip'
      ? createGunzip({ chunkSize: pieceBytes })
      : createZstdDecompress({ chunkSize: pieceBytes });
  let fed = 0;
  let failure: unknown;
  async function feed(): Promise<void> {
    try {
      for await (const piece of body) {
        if (decoder.destroyed) return;
        fed += piece.length;
        if (!decoder.write(piece)) await drained(decoder);
      }
      if (!decoder.destroyed) decoder.end();
    } catch (error) {
      failure = error;
      decoder.destroy(error as Error);
    }
  }
  feed();
  try {
    yield* decoder;
    // Node.js stops silently at what is no frame behind a frame.
    if (encoding === 'zstd' && decoder.bytesWritten < fed)
      throw new Error('something follows the last frame');
  } catch (error) {
    throw failure ?? malformed(`the body cannot be decompressed (${encoding}): ${(error as Error).message}`);
  } finally {
    decoder.destroy();
  }
}

/** Resolves when the decoder takes more, or nothing any more. */
function drained(decoder: NodeJS.EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      decoder.off('drain', done).off('close', done).off('error', done);
      resolve();
    };
    decoder.on('drain', done).on('close', done).on('error', done);
  });
}

/** The first bytes, and the whole with them. */
async function peek(body: Bytes): Promise<[Buffer, Bytes]> {
  const pieces = body[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < headBytes) {
    const { value, done } = await pieces.next();
    if (done) break;
    head = head.length === 0 ? value : Buffer.concat([head, value]);
  }
  async function* all(): Bytes {
    try {
      if (head.length > 0) yield head;
      for (;;) {
        const { value, done } = await pieces.next();
        if (done) return;
        yield value;
      }
    } finally {
      await pieces.return?.();
    }
  }
  return [head, all()];
}

/** Without a byte order mark at the begin, which is no part of the text. */
async function* withoutMark(body: Bytes): Bytes {
  const [head, all] = await peek(body);
  let skip = head.subarray(0, 3).equals(byteOrderMark) ? byteOrderMark.length : 0;
  for await (const piece of all) {
    if (piece.length > skip) yield skip === 0 ? piece : piece.subarray(skip);
    skip = 0;
  }
}

const malformed = (message: string) => new ApiError('MalformedBodyError', `${message}; nothing was stored`);
