import { createReadStream } from 'node:fs';
import { AdminError } from '../admin-error.ts';
import type { AdminTerminal } from '../terminal.ts';
import { decrypted, readIdentities } from './age.ts';
import { openPlace } from './place.ts';
import { storedBackups } from './stored-backups.ts';

/** Reads a backup from its start, decrypted. The standard input can be read only once. */
export type BackupSource = () => AsyncIterable<Buffer>;

/** Opens a file, `-` for the standard input, `s3://BUCKET/PREFIX/NAME`, or `…/latest`. Throws AdminError. */
export async function withSource(
  { stdin, env }: AdminTerminal,
  { from, identity }: { from: string; identity?: string },
  work: (source: BackupSource) => Promise<void>,
): Promise<void> {
  const identities = identity === undefined ? [] : await readIdentities(identity, stdin);
  const folder = from.slice(0, from.lastIndexOf('/') + 1) || './';
  const last = from.slice(from.lastIndexOf('/') + 1);
  const objects = last === 'latest' || /^(s3|file):/.test(from) ? openPlace(folder, env) : undefined;
  if (!objects) {
    const file = () => (from === '-' ? stdin : createReadStream(from, { highWaterMark: 1024 ** 2 }));
    return work(() => decrypted(file(), identities));
  }
  try {
    const name = last === 'latest' ? (await storedBackups(objects)).at(-1)?.name : last;
    async function* stored() {
      const pieces = name ? await objects?.read(name) : undefined;
      if (!pieces)
        throw new AdminError(`${from} is not there: see \`sluice-admin backups list --from ${folder}\``);
      yield* pieces;
    }
    await work(() => decrypted(stored(), identities));
  } finally {
    objects.close();
  }
}
