import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ObjectStoreError } from './object-store.ts';

const readBytes = 256 * 1024;

/** Bytes whose name is known only when all of them are there. */
export type Spool = Awaited<ReturnType<typeof openSpool>>;

/** Opens a temporary file without a name, so that nothing is left of it when the process dies. */
export async function openSpool(folder: string) {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `.unfinished-${randomUUID()}`);
  const file = await open(path, 'wx+');
  await rm(path);
  const hash = createHash('sha256');
  let sha256: string | undefined;
  let bytes = 0;

  return {
    async write(piece: Uint8Array): Promise<void> {
      hash.update(piece);
      await file.appendFile(piece).catch((error) => {
        if (error.code !== 'ENOSPC') throw error;
        throw new ObjectStoreError(
          'the disk for temporary files of the export worker is full: make room there',
        );
      });
      bytes += piece.length;
    },

    bytes: () => bytes,

    /** Of all bytes; nothing is written afterwards. In hexadecimal digits. */
    sha256(): string {
      sha256 ??= hash.digest('hex');
      return sha256;
    },

    /** All bytes from the start; may be read again. */
    async *pieces(): AsyncGenerator<Buffer> {
      for (let at = 0; at < bytes; ) {
        const piece = Buffer.allocUnsafeSlow(Math.min(readBytes, bytes - at));
        const { bytesRead } = await file.read(piece, 0, piece.length, at);
        if (bytesRead === 0) throw new Error('a temporary file is shorter than what was written');
        at += bytesRead;
        yield piece.subarray(0, bytesRead);
      }
    },

    close: (): Promise<void> => file.close(),
  };
}
