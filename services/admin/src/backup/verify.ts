import { createReadStream } from 'node:fs';
import type { Header } from './format.ts';
import { openArchive, type Verified } from './read-archive.ts';

/** The bytes of a file, or of the standard input. */
export const bytesOf = (file: string): AsyncIterable<Buffer> =>
  file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 1024 ** 2 });

/** Reads a backup to its end. Throws AdminError where it is not as it was written. */
export async function verify(file: string): Promise<{ header: Header; verified: Verified }> {
  const { header, blocks } = await openArchive(bytesOf(file));
  for (;;) {
    const { value, done } = await blocks.next();
    if (done) return { header, verified: value };
  }
}
