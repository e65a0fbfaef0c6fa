import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Header } from './format.ts';
import { openArchive, type Verified } from './read-archive.ts';

/** The bytes of a file, or of the standard input. */
export const bytesOf = (file: string, stdin: Readable): AsyncIterable<Buffer> =>
  file === '-' ? stdin : createReadStream(file, { highWaterMark: 1024 ** 2 });

/** Reads a backup to its end. Throws AdminError if the file was changed. */
export async function verify(
  file: string,
  stdin: Readable = process.stdin,
): Promise<{ header: Header; verified: Verified }> {
  const { header, blocks } = await openArchive(bytesOf(file, stdin));
  for (;;) {
    const { value, done } = await blocks.next();
    if (done) return { header, verified: value };
  }
}
