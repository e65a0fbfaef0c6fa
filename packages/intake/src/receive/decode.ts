import type { Transform } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { withoutByteOrderMark } from '@sluice/json/byte-order-mark.ts';
import { foreignStart } from '@sluice/json/explain-bytes.ts';
import { ApiError, bodyTooLarge } from '@sluice/shared/errors.ts';

export type Bytes = AsyncIterable<Buffer>;
export type Compression = 'gzip' | 'zstd';
/** `bytesWritten`: the input bytes that it has used. */
type Decoder = Transform & { bytesWritten: number };

const pieceBytes = 64 * 1024;
/** Each frame needs a decoder, which costs much more than the bytes of an empty frame. */
const mostDecoders = 10_000;
/** Bytes that show an encoding or a byte order mark. */
const headBytes = 4;

/** 8 MiB, which every decoder should support (RFC 8878, 3.1.1.1.2). The default of Node.js is 128 MiB. */
const windowLog = 23;

/**
 * Decompresses a body, and removes its byte order mark. The first bytes tell the encoding; `named` is that of the header.
 * Throws ApiError.
 */
export async function* decode(body: Bytes, named: Compression | undefined): Bytes {
  let lost: { error: unknown } | undefined;
  async function* given(): Bytes {
    try {
      yield* body;
    } catch (error) {
      lost = { error };
      throw error;
    }
  }
  const source = createSource(given());
  let found: Compression | undefined;
  try {
    found = encodingAt(await source.peek());
    if (named && named !== found)
      throw malformed(`the body is not ${named}, as its header Content-Encoding says`);
    const text = createSource(found ? decompress(source, found) : source.rest());
    const head = await text.peek();
    const inner = found && encodingAt(head);
    if (inner)
      throw malformed(`the body is compressed twice: it is ${inner} within ${found}; compress it once`);
    const foreign = foreignStart(head);
    if (foreign) throw malformed(`the body is not text in UTF-8: ${foreign}`);
    const first = await text.next();
    text.putBack(first && withoutByteOrderMark(first));
    yield* text.rest();
  } catch (error) {
    // What the body throws is no fault of its bytes.
    if (lost) throw lost.error;
    if (error instanceof ApiError) throw error;
    throw malformed(`the body cannot be decompressed (${found}): ${(error as Error).message}`);
  } finally {
    source.close();
  }
}

const malformed = (message: string) => new ApiError('MalformedBodyError', `${message}; nothing was stored`);

/**
 * Decompresses a whole body. `onFirst` gets its first piece. Throws ApiError if the result is over the limit, or the body is
 * broken.
 */
export async function decodeWhole(
  body: Buffer,
  encoding: Compression,
  limit: number,
  onFirst: (piece: Buffer) => void,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of decode(piecesIn(body), encoding)) {
    if (length === 0) onFirst(piece);
    length += piece.length;
    if (length > limit) throw bodyTooLarge(limit);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, length);
}

async function* piecesIn(body: Buffer): Bytes {
  yield body;
}

const decoders: Record<Compression, () => Decoder> = {
  gzip: () => createGunzip({ chunkSize: pieceBytes }),
  zstd: () =>
    createZstdDecompress({
      chunkSize: pieceBytes,
      params: { [constants.ZSTD_d_windowLogMax]: windowLog },
    }) as Transform as Decoder,
};

/** The encoding of bytes that begin so. A zstd frame has data, or is skippable (RFC 8878, 3.1). */
function encodingAt(head: Buffer): Compression | undefined {
  if (head.length >= 2 && head.readUInt16BE() === 0x1f8b) return 'gzip';
  if (head.length < headBytes) return undefined;
  const mark = head.readUInt32LE();
  return mark === 0xfd2fb528 || (mark & 0xfffffff0) >>> 0 === 0x184d2a50 ? 'zstd' : undefined;
}

/**
 * Decompresses all frames of zstd, or members of gzip, which zeros may follow. Throws an Error if a frame is broken or
 * incomplete, or other bytes follow.
 *
 * A decoder of Node.js may stop after one frame, so the bytes that it did not use go to the next decoder.
 */
async function* decompress(source: DecodedSource, encoding: Compression): Bytes {
  for (let count = 0; count === 0 || (await hasMore(source, encoding)); count++) {
    if (count === mostDecoders) throw new Error(`it has over ${mostDecoders} frames`);
    yield* decodeFrames(source, encoding);
  }
}

type DecodedSource = ReturnType<typeof createSource>;

/** The pieces of a body. Unused bytes can be put back. */
function createSource(body: Bytes) {
  const pieces = body[Symbol.asyncIterator]();
  let back: Buffer = Buffer.alloc(0);

  /** Undefined at the end. */
  async function next(): Promise<Buffer | undefined> {
    const piece = back;
    back = Buffer.alloc(0);
    return piece.length > 0 ? piece : (await pieces.next()).value;
  }

  function close(): void {
    pieces.return?.().catch(() => {});
  }

  return {
    next,
    close,

    putBack(piece: Buffer = Buffer.alloc(0)): void {
      back = back.length === 0 ? piece : Buffer.concat([piece, back]);
    },

    /** The first bytes, which stay: at least four, or all that there are. */
    async peek(): Promise<Buffer> {
      while (back.length < headBytes) {
        const { value, done } = await pieces.next();
        if (done) break;
        back = back.length === 0 ? value : Buffer.concat([back, value]);
      }
      return back;
    },

    async *rest(): AsyncGenerator<Buffer> {
      try {
        for (let piece = await next(); piece; piece = await next()) yield piece;
      } finally {
        close();
      }
    },
  };
}

async function hasMore(source: DecodedSource, encoding: Compression): Promise<boolean> {
  let zeros = encoding === 'gzip' ? await source.next() : undefined;
  while (zeros?.every((byte) => byte === 0)) zeros = await source.next();
  source.putBack(zeros?.subarray(zeros.findIndex((byte) => byte !== 0)));
  const head = await source.peek();
  if (head.length > 0 && encodingAt(head) !== encoding) throw new Error('something follows the last frame');
  return head.length > 0;
}

async function* decodeFrames(source: DecodedSource, encoding: Compression): Bytes {
  const decoder = decoders[encoding]();
  const closed = new Promise<void>((resolve) => decoder.once('close', resolve));

  async function feed(): Promise<void> {
    let fed = 0;
    for (let piece = await source.next(); piece; piece = await source.next()) {
      const unused = () => fed - decoder.bytesWritten;
      fed += piece.length;
      // One piece at a time: a decoder that has ended may drop further pieces.
      const used = new Promise<void>((resolve) => decoder.write(piece, () => resolve()));
      await Promise.race([used, closed]);
      if (unused() === 0 && !decoder.destroyed) continue;
      source.putBack(piece.subarray(piece.length - unused()));
      return;
    }
    decoder.end();
  }

  const feeding = feed();
  feeding.catch((error) => decoder.destroy(error));
  try {
    yield* decoder;
    await feeding;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ZSTD_error_frameParameter_windowTooLarge')
      throw new Error('its window is over 8 MiB; compress it without --long and --ultra');
    throw error;
  } finally {
    decoder.destroy();
  }
}
