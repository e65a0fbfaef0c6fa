import { createReadStream } from 'node:fs';
import { AdminError } from '../admin-error.ts';
import type { AdminTerminal } from '../terminal.ts';
import { decrypted, readIdentities } from './age.ts';
import { openPlace } from './place.ts';
import { isStoredName, storedBackups } from './stored-backups.ts';

/** Reads a backup from its start, decrypted. The standard input can be read only once. */
export type BackupSource = () => AsyncIterable<Buffer>;

/** Opens a file, `-` for the standard input, `s3://BUCKET/PREFIX/NAME`, or `…/latest`. `newest`: one that was made later in the same place. Throws AdminError. */
export async function withSource(
  { stdin, env }: AdminTerminal,
  { from, identity }: { from: string; identity?: string },
  work: (source: BackupSource, newest?: BackupSource) => Promise<void>,
): Promise<void> {
  const identities = identity === undefined ? [] : await readIdentities(identity, stdin);
  const folder = from.slice(0, from.lastIndexOf('/') + 1) || './';
  const last = from.slice(from.lastIndexOf('/') + 1);
  const isStored = last === 'latest' || isStoredName(last) || /^(s3|file):/.test(from);
  const objects = isStored ? openPlace(folder, env) : undefined;
  if (!objects) {
    const file = () => (from === '-' ? stdin : createReadStream(from, { highWaterMark: 1024 ** 2 }));
    return work(() => decrypted(file(), identities));
  }
  try {
    const newest = (await storedBackups(objects)).at(-1)?.name;
    async function* stored(name: string | undefined) {
      const pieces = name ? await objects?.read(name) : undefined;
      if (!pieces)
        throw new AdminError(`${from} is not there: see \`sluice-admin backups list --from ${folder}\``);
      yield* pieces;
    }
    const sourceOf = (name: string | undefined) => () => decrypted(stored(name), identities);
    const name = last === 'latest' ? newest : last;
    await work(sourceOf(name), newest === name ? undefined : sourceOf(newest));
  } finally {
    objects.close();
  }
}
