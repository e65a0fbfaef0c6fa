import { ApiError } from '@sluice/shared/errors.ts';
import { tooLarge } from './body.ts';
import { type Bytes, type Compression, createSource, decompress, encodingAt } from './decompress.ts';

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Decompresses a body, and removes its byte order mark. The first bytes tell the encoding; `named` is that of the header.
 * Throws ApiError.
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
    if (error instanceof ApiError) throw error;
    throw malformed(`the body cannot be decompressed (${found}): ${(error as Error).message}`);
  } finally {
    source.close();
  }
}

const malformed = (message: string) => new ApiError('MalformedBodyError', `${message}; nothing was stored`);

/** Decompresses a whole body. Throws ApiError if the result is over the limit, or the body is broken. */
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
