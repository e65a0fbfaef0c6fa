import type { Store } from '@sluice/jobs/connect.ts';
import type { Block } from '@sluice/store/backup/block.ts';
import { storeFault } from '@sluice/store/faults.ts';
import type { Command } from 'commander';
import { AdminError } from '../admin-error.ts';
import type { AdminTerminal } from '../terminal.ts';
import { type Opened, withStore } from '../with-store.ts';
import { openArchive, type Verified } from './read-archive.ts';
import { type BackupSource, withSource } from './source.ts';
import { verify } from './verify.ts';

interface RestoreOptions {
  from?: string;
  identity?: string;
  force?: boolean;
}

/** `sluice-admin restore`. */
export function addRestore(program: Command, terminal: AdminTerminal): void {
  program
    .command('restore')
    .description('Fill an empty database from a backup. Stop the services first.')
    .argument('[file]', 'backup, or - for the standard input')
    .option('--from <place>', 's3://BUCKET/PREFIX/NAME, or FOLDER/NAME; the newest has the name latest')
    .option('--identity <file>', 'identity of age for an encrypted backup, or - for the standard input')
    .option('--force', 'drop what the database holds')
    .addHelpText('after', '\nExample: sluice-admin restore sluice.backup')
    .action((file: string | undefined, { from = file, identity, force = false }: RestoreOptions) => {
      if (!from) throw new AdminError('say which backup: restore FILE, or --from s3://BUCKET/PREFIX/latest');
      return withSource(terminal, { from, identity }, async (source) => {
        // The standard input can be read only once, so faults are found during the restore.
        if (from !== '-') await verify(source);
        await withStore(terminal, (...opened) => restore(opened, source, force));
      });
    });
}

async function restore(
  [{ backup, cluster }, , { console }]: Opened,
  source: BackupSource,
  force: boolean,
): Promise<void> {
  await backup.refuseShard();
  const isCluster = await cluster.isCluster();
  const { database, collections } = await backup.contents();
  const services = await backup.services().catch((error: Error) => unknown(console, error));
  if (services.length > 0)
    throw new AdminError(`services use the database ${database} (${services.join(', ')}): stop them first`);
  const held = Object.entries(collections).map(([name, count]) => `${count.toLocaleString('en')} ${name}`);
  if (held.length > 0 && !force)
    throw new AdminError(
      `the database ${database} is not empty (${held.join(', ')}): --force drops all of it`,
    );
  if (isCluster) console.error('Services at another mongos cannot be seen: make sure that none runs');
  const { header, blocks } = await openArchive(source());
  if (held.length > 0) console.error(`Dropping ${held.join(', ')}`);
  console.error('Restoring. If this is interrupted, run it again with --force');
  const verified = await fill(backup, new Date(header.startedAt), blocks);
  const entries = verified.collections.entries?.documents ?? 0;
  console.error(`Restored the data of ${verified.at}: ${entries.toLocaleString('en')} entries`);
  if (isCluster) console.error('Run `sluice-admin shard`, so that each application has a range of its own');
}

/** Some MongoDB servers do not list connections, which must not fail a restore. */
function unknown(console: Console, error: Error): string[] {
  if (storeFault(error)) throw error;
  console.error(`Could not check whether services run: ${error.message}`);
  return [];
}

async function fill(
  backup: Store['backup'],
  startedAt: Date,
  blocks: AsyncGenerator<Block, Verified>,
): Promise<Verified> {
  let verified: Verified | undefined;
  async function* all() {
    verified = yield* blocks;
  }
  try {
    await backup.restore(all(), startedAt);
  } catch (error) {
    const { message } = error as Error;
    throw new AdminError(
      `${message}\nthe database holds only part of the backup, and no service uses it: restore again with --force`,
    );
  }
  return verified as unknown as Verified;
}
