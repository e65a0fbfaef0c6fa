/** A piece is durable before its bytes count: of a broken request whose end the server does not see, less than one is lost. */
const pieceBytes = 2 * 1024 ** 2;

/** Joins the bytes of a body to pieces of at least 2 MiB. When the body ends with an error, its last bytes come before the error. */
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
      kept.push(bytes);
      length += bytes.length;
      if (length >= pieceBytes) yield take();
    }
  } catch (error) {
    failure = { error };
  }
  if (length > 0) yield take();
  if (failure) throw failure.error;
}
