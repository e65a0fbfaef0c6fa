import type { Header } from './format.ts';
import { openArchive, type Verified } from './read-archive.ts';
import type { BackupSource } from './source.ts';

/** Reads a backup to its end. Throws AdminError if it was changed. */
export async function verify(source: BackupSource): Promise<{ header: Header; verified: Verified }> {
  const { header, blocks } = await openArchive(source());
  for (;;) {
    const { value, done } = await blocks.next();
    if (done) return { header, verified: value };
  }
}
