import { randomUUID } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Store } from '@sluice/jobs/connect.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { SnapshotLost } from '@sluice/store/backup/read-database.ts';
import { AdminError } from '../admin-error.ts';
import type { AdminTerminal } from '../terminal.ts';
import type { Summary } from './format.ts';
import { nameOf, storedBackups } from './stored-backups.ts';
import { writeArchive } from './write-archive.ts';

type Pieces = AsyncIterable<Buffer>;

export interface BackupTarget {
  /** A file, a bucket or a folder as the user wrote it, or `-` for the standard output. */
  to: string;
  /** The bucket or the folder. */
  place?: ObjectStore;
  encrypt?: (pieces: Pieces) => Pieces;
}

/** Makes one backup, and returns when it began. Throws AdminError. */
export async function writeBackup(
  backup: Pick<Store['backup'], 'now' | 'read' | 'note'>,
  { stdout, console }: Pick<AdminTerminal, 'stdout' | 'console'>,
  { to, place, encrypt }: BackupTarget,
): Promise<Date> {
  // A server that refuses a key may cut off the upload of a part before it has said why.
  if (place) await storedBackups(place);
  const startedAt = await backup.now();
  const name = nameOf(startedAt, encrypt !== undefined);
  let summary: Summary | undefined;
  let bytes = 0;
  async function* archive() {
    summary = yield* writeArchive(backup.read(), startedAt);
  }
  const plain = archive();
  async function* counted() {
    for await (const piece of encrypt ? encrypt(plain) : plain) {
      bytes += piece.length;
      yield piece;
    }
  }
  try {
    if (place) await store(counted(), place, name);
    else if (to === '-') await pipeline(counted, stdout, { end: false });
    else await writeFile(counted, to);
  } catch (error) {
    throw error instanceof SnapshotLost ? new AdminError(error.message) : error;
  } finally {
    // Through encryption, its end does not wait until the balancer of a cluster runs again.
    await plain.return();
  }
  const { at, collections } = summary as unknown as Summary;
  const entries = collections.entries?.documents ?? 0;
  await backup.note({ bytes, entries });
  const where = place ? ` in ${name}` : '';
  console.error(
    `Backup of ${at}: ${entries.toLocaleString('en')} entries, ${bytes.toLocaleString('en')} bytes${where}`,
  );
  return startedAt;
}

async function store(pieces: Pieces, place: ObjectStore, name: string): Promise<void> {
  if (!(await place.create(name, pieces)))
    throw new AdminError(`${name} exists: another backup began in the same second`);
}

/** Renames the file only when it is complete and on the disk. */
async function writeFile(pieces: () => Pieces, path: string): Promise<void> {
  if (existsSync(path)) throw new AdminError(`${path} exists: choose another name`);
  // Another backup may be writing to the same name.
  const partial = `${path}.${randomUUID()}.partial`;
  try {
    await pipeline(pieces, createWriteStream(partial, { mode: 0o600, flush: true }));
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
