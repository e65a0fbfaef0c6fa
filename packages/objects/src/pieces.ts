import { createHash } from 'node:crypto';

/** Bytes as the only piece of an object. */
export async function* whole(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** SHA-256 of pieces, in hexadecimal digits. */
export async function sha256Of(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}
