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

/** Cuts bytes into parts of one size; the last part may be smaller. The memory of a part is reused two parts later. */
export async function* partsOf(pieces: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Buffer> {
  let part: Buffer = Buffer.allocUnsafeSlow(size);
  let before: Buffer | undefined;
  let length = 0;
  for await (const piece of pieces)
    for (let at = 0; at < piece.length; ) {
      if (length === size) {
        yield part;
        [part, before] = [before ?? Buffer.allocUnsafeSlow(size), part];
        length = 0;
      }
      const taken = Math.min(size - length, piece.length - at);
      part.set(piece.subarray(at, at + taken), length);
      at += taken;
      length += taken;
    }
  yield part.subarray(0, length);
}
