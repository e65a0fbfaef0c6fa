import { randomUUID } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { SnapshotLost } from '@sluice/store/backup/read-database.ts';
import type { Command } from 'commander';
import { AdminError } from '../admin-error.ts';
import type { AdminTerminal } from '../terminal.ts';
import { type Opened, withStore } from '../with-store.ts';
import { verify } from './verify.ts';
import { type Written, writeArchive } from './write-archive.ts';

/** `sluice-admin backup` and `backup verify`. */
export function addBackup(program: Command, terminal: AdminTerminal): void {
  const { console } = terminal;
  const backup = program
    .command('backup')
    .description('Write the whole database into one file, while Sluice serves.')
    .option('--to <file>', 'new file, or - for the standard output')
    .addHelpText('after', '\nExample: sluice-admin backup --to sluice.backup')
    .action(async ({ to }: { to?: string }) => {
      if (!to)
        throw new AdminError('say where to write the backup: --to FILE, or --to - for the standard output');
      await withStore(terminal, (...opened) => writeBackup(opened, to));
    });
  backup
    .command('verify')
    .description('Read a backup to its end, check it and say what is in it.')
    .argument('<file>', 'backup, or - for the standard input')
    .addHelpText('after', '\nExample: sluice-admin backup verify sluice.backup')
    .action(async (file: string) => {
      const { header, verified } = await verify(file, terminal.stdin);
      console.log(`version   ${header.version}\nstarted   ${header.startedAt}\ndata of   ${verified.at}`);
      console.log(`sha256    ${verified.sha256}\n`);
      console.table(verified.collections);
    });
}

async function writeBackup([{ backup }, , { stdout, console }]: Opened, to: string): Promise<void> {
  const startedAt = await backup.now();
  let written: Written | undefined;
  async function* archive() {
    written = yield* writeArchive(backup.read(), startedAt);
  }
  try {
    await (to === '-' ? pipeline(archive, stdout, { end: false }) : writeFile(archive, to));
  } catch (error) {
    throw error instanceof SnapshotLost ? new AdminError(error.message) : error;
  }
  const { bytes, at, collections } = written as unknown as Written;
  const entries = collections.entries?.documents ?? 0;
  await backup.note({ bytes, entries });
  console.error(
    `Backup of ${at}: ${entries.toLocaleString('en')} entries, ${bytes.toLocaleString('en')} bytes`,
  );
}

/** Renames the file only when it is complete and on the disk. */
async function writeFile(archive: () => AsyncIterable<Buffer>, path: string): Promise<void> {
  if (existsSync(path)) throw new AdminError(`${path} exists: choose another name`);
  // Another backup may be writing to the same name.
  const partial = `${path}.${randomUUID()}.partial`;
  try {
    await pipeline(archive, createWriteStream(partial, { mode: 0o600, flush: true }));
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
