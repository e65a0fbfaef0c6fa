import type { Transform } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';

export type Bytes = AsyncIterable<Buffer>;
export type Compression = 'gzip' | 'zstd';
/** `bytesWritten`: how much of what was written it has used. */
type Decoder = Transform & { bytesWritten: number };

/** What is scanned in one turn. */
const pieceBytes = 64 * 1024;
/** A decoder for each costs more than some bytes of a frame that has nothing in it. */
const mostDecoders = 10_000;
/** What it takes to know an encoding, or a byte order mark. */
const headBytes = 4;

/** What a decoder may keep of what it has decoded: 8 MiB, which all are asked to take (RFC 8878, 3.1.1.1.2); by default it would be 128 MiB. */
const windowLog = 23;

const decoders: Record<Compression, () => Decoder> = {
  gzip: () => createGunzip({ chunkSize: pieceBytes }),
  zstd: () =>
    createZstdDecompress({
      chunkSize: pieceBytes,
      params: { [constants.ZSTD_d_windowLogMax]: windowLog },
    }) as Transform as Decoder,
};

/** The encoding that bytes begin with: gzip, or zstd by a frame of data or one that is to be skipped (RFC 8878, 3.1). */
export function encodingAt(head: Buffer): Compression | undefined {
  if (head.length >= 2 && head.readUInt16BE() === 0x1f8b) return 'gzip';
  if (head.length < headBytes) return undefined;
  const mark = head.readUInt32LE();
  return mark === 0xfd2fb528 || (mark & 0xfffffff0) >>> 0 === 0x184d2a50 ? 'zstd' : undefined;
}

/**
 * What was compressed, in one or several frames (of gzip: members, zeros behind them being padding). A decoder of Node.js
 * may end with a frame and leave the rest alone, so whatever it did not use goes to another. Throws an Error where a frame is broken or not
 * whole, or something else follows.
 */
export async function* decompress(source: Source, encoding: Compression): Bytes {
  for (let count = 0; count === 0 || (await hasMore(source, encoding)); count++) {
    if (count === mostDecoders) throw new Error(`it has over ${mostDecoders} frames`);
    yield* decodeFrames(source, encoding);
  }
}

type Source = ReturnType<typeof createSource>;

/** The pieces of a body, of which what was not used can be put back. */
export function createSource(body: Bytes) {
  const pieces = body[Symbol.asyncIterator]();
  let back: Buffer = Buffer.alloc(0);
  let failure: unknown;

  /** None when there is nothing more. */
  async function next(): Promise<Buffer | undefined> {
    const piece = back;
    back = Buffer.alloc(0);
    if (piece.length > 0) return piece;
    try {
      const { value, done } = await pieces.next();
      return done ? undefined : value;
    } catch (error) {
      failure = error;
      throw error;
    }
  }

  function putBack(piece: Buffer = Buffer.alloc(0)): void {
    back = back.length === 0 ? piece : Buffer.concat([piece, back]);
  }

  function close(): void {
    pieces.return?.().catch(() => {});
  }

  return {
    next,
    putBack,
    close,
    /** Why it could not be read on. */
    failure: () => failure,

    /** The first bytes, which are still to come; fewer than four where there are no more. */
    async peek(): Promise<Buffer> {
      let head: Buffer = Buffer.alloc(0);
      while (head.length < headBytes) {
        const piece = await next();
        if (!piece) break;
        head = head.length === 0 ? piece : Buffer.concat([head, piece]);
      }
      putBack(head);
      return head;
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

async function hasMore(source: Source, encoding: Compression): Promise<boolean> {
  let zeros = encoding === 'gzip' ? await source.next() : undefined;
  while (zeros?.every((byte) => byte === 0)) zeros = await source.next();
  source.putBack(zeros?.subarray(zeros.findIndex((byte) => byte !== 0)));
  const head = await source.peek();
  if (head.length > 0 && encodingAt(head) !== encoding) throw new Error('something follows the last frame');
  return head.length > 0;
}

async function* decodeFrames(source: Source, encoding: Compression): Bytes {
  const decoder = decoders[encoding]();
  const closed = new Promise<void>((resolve) => decoder.once('close', resolve));

  async function feed(): Promise<void> {
    let fed = 0;
    for (let piece = await source.next(); piece; piece = await source.next()) {
      const unused = () => fed - decoder.bytesWritten;
      fed += piece.length;
      // One after the other: what a decoder does with a piece behind its end is not to be relied on.
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
