import { ApiError } from '@sluice/shared/errors.ts';
import { type Compression, decompress, encodingAt, markBytes } from './decompress.ts';

type Bytes = AsyncIterable<Buffer>;

const encodings: Record<string, Compression | undefined> = { gzip: 'gzip', 'x-gzip': 'gzip', zstd: 'zstd' };
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** The encoding that a header names; undefined for none. Throws ApiError. */
export function encodingOf(header: string | undefined): Compression | undefined {
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
export async function* decode(body: Bytes, told: Compression | undefined): Bytes {
  const [head, all] = await peek(body);
  const found = encodingAt(head);
  if (told && told !== found) throw malformed(`the body is not ${told}, as its header Content-Encoding says`);
  yield* withoutMark(found ? decompressed(all, found) : all);
}

/** Of what fails the body's own failures stay as they are; the rest is the fault of who compressed it. */
async function* decompressed(body: Bytes, encoding: Compression): Bytes {
  let failure: unknown;
  async function* watched(): Bytes {
    try {
      yield* body;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  try {
    yield* decompress(watched(), encoding);
  } catch (error) {
    throw failure ?? malformed(`the body cannot be decompressed (${encoding}): ${(error as Error).message}`);
  }
}

/** The first bytes, and the whole with them. */
async function peek(body: Bytes): Promise<[Buffer, Bytes]> {
  const pieces = body[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < markBytes) {
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
