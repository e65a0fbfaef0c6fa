import { ApiError } from '@sluice/shared/errors.ts';
import { tooLarge } from './body.ts';
import { type Bytes, type Compression, createSource, decompress, encodingAt } from './decompress.ts';

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

/**
 * The body as it was before its encoding, which is found by its first bytes where no header named it, and without a byte order
 * mark. Throws ApiError, or the body's own failure.
 */
export async function* decode(body: Bytes, named: Compression | undefined): Bytes {
  const source = createSource(body);
  let found: Compression | undefined;
  try {
    found = encodingAt(await source.peek());
    if (named && named !== found)
      throw malformed(`the body is not ${named}, as its header Content-Encoding says`);
    const text = createSource(found ? decompress(source, found) : source.rest());
    const head = await text.peek();
    if (head.subarray(0, 3).equals(byteOrderMark)) text.putBack((await text.next())?.subarray(3));
    yield* text.rest();
  } catch (error) {
    if (error instanceof ApiError || error === source.failure()) throw error;
    throw malformed(`the body cannot be decompressed (${found}): ${(error as Error).message}`);
  } finally {
    source.close();
  }
}

const malformed = (message: string) => new ApiError('MalformedBodyError', `${message}; nothing was stored`);

/** A whole body as it was before its encoding. Rejects with ApiError where that is over the limit of the route, or broken. */
export async function decodeWhole(body: Buffer, encoding: Compression, limit: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of decode(piecesIn(body), encoding)) {
    length += piece.length;
    if (length > limit) throw tooLarge(limit);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, length);
}

async function* piecesIn(body: Buffer): Bytes {
  yield body;
}
