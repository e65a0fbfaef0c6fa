import { ApiError } from '@sluice/shared/errors.ts';

/** A piece is durable before its bytes count: of a broken request whose end the server does not see, less than one is lost. */
export const pieceBytes = 2 * 1024 ** 2;

/**
 * Joins the bytes of a body to pieces of at least 2 MiB. When the body is cut off, its last bytes come before the error. When it is
 * over the limit, they do not come: they could complete the file, and its client hears that it was refused.
 */
export async function* inPieces(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let kept: Buffer[] = [];
  let length = 0;
  let failure: { error: unknown } | undefined;
  const take = () => {
    const piece = Buffer.concat(kept, length);
    kept = [];
    length = 0;
    return piece;
  };
  try {
    for await (const bytes of body) {
      if (length >= pieceBytes) yield take();
      kept.push(bytes);
      length += bytes.length;
    }
  } catch (error) {
    if (error instanceof ApiError && error.name === 'PayloadTooLargeError') throw error;
    failure = { error };
  }
  if (length > 0) yield take();
  if (failure) throw failure.error;
}
