import type { Store } from '@sluice/jobs/connect.ts';
import type { KnownErasure } from '@sluice/jobs/record/erasures-of-backup.ts';
import type { Block } from '@sluice/store/backup/block.ts';
import { storeFault } from '@sluice/store/faults.ts';
import type { Command } from 'commander';
import { AdminError } from '../admin-error.ts';
import type { AdminTerminal } from '../terminal.ts';
import { type Opened, withStore } from '../with-store.ts';
import { applyErasures, erasuresAt, erasuresIn } from './erasures.ts';
import { openArchive, type Verified } from './read-archive.ts';
import { type BackupSource, withSource } from './source.ts';
import { verify } from './verify.ts';

interface RestoreOptions {
  from?: string;
  identity?: string;
  erasures?: string;
  force?: boolean;
}

/** `sluice-admin restore` and `erasures apply`. */
export function addRestore(program: Command, terminal: AdminTerminal): void {
  program
    .command('restore')
    .description('Fill an empty database from a backup. Stop the services first.')
    .argument('[file]', 'backup, or - for the standard input')
    .option('--from <place>', 's3://BUCKET/PREFIX/NAME, or FOLDER/NAME; the newest has the name latest')
    .option('--identity <file>', 'identity of age for an encrypted backup, or - for the standard input')
    .option('--erasures <place>', 's3://BUCKET/PREFIX, or a folder, of archives with records of erasures')
    .option('--force', 'drop what the database holds')
    .addHelpText('after', '\nExample: sluice-admin restore sluice.backup')
    .action((file: string | undefined, { from = file, identity, ...options }: RestoreOptions) => {
      if (!from) throw new AdminError('say which backup: restore FILE, or --from s3://BUCKET/PREFIX/latest');
      return withSource(terminal, { from, identity }, async (source, newest) => {
        // The standard input can be read only once, so faults are found during the restore.
        if (from !== '-') await verify(source);
        const known = newest ? await erasuresIn(newest).catch(refuseUnreadable) : [];
        if (options.erasures) known.push(...(await erasuresAt(options.erasures, terminal.env)));
        await withStore(terminal, (...opened) => restore(opened, source, { ...options, known }));
      });
    });

  program
    .command('erasures')
    .description('Look after erasures of persons.')
    .command('apply')
    .description('Erase again what a later backup knows as erased. Stop the services first.')
    .argument('<file>', 'later backup, s3://BUCKET/PREFIX/NAME, or - for the standard input')
    .option('--identity <file>', 'identity of age for an encrypted backup, or - for the standard input')
    .addHelpText('after', '\nExample: sluice-admin erasures apply - < sluice.backup')
    .action((from: string, { identity }: Pick<RestoreOptions, 'identity'>) =>
      withSource(terminal, { from, identity }, async (source) => {
        const known = await erasuresIn(source);
        await withStore(terminal, async (store, _config, { console }) => {
          await refuseServices(store.backup, console);
          console.error((await applyErasures(store, known)) ?? 'The database knows all erasures');
        });
      }),
    );
}

async function restore(
  [store, , { console }]: Opened,
  source: BackupSource,
  { force, known }: { force?: boolean; known: KnownErasure[] },
): Promise<void> {
  const { backup, cluster } = store;
  await backup.refuseShard();
  const isCluster = await cluster.isCluster();
  const { database, collections } = await backup.contents();
  await refuseServices(backup, console);
  const held = Object.entries(collections).map(([name, count]) => `${count.toLocaleString('en')} ${name}`);
  if (held.length > 0 && !force)
    throw new AdminError(
      `the database ${database} is not empty (${held.join(', ')}): --force drops all of it`,
    );
  if (isCluster) console.error('Services at another mongos cannot be seen: make sure that none runs');
  const { header, blocks } = await openArchive(source());
  if (held.length > 0) console.error(`Dropping ${held.join(', ')}`);
  console.error('Restoring. If this is interrupted, run it again with --force');
  let erased: string | undefined;
  const verified = await fill(backup, new Date(header.startedAt), blocks, async () => {
    erased = await applyErasures(store, known);
  });
  const entries = verified.collections.entries?.documents ?? 0;
  console.error(`Restored the data of ${verified.at}: ${entries.toLocaleString('en')} entries`);
  if (erased) console.error(erased);
  if (isCluster) console.error('Run `sluice-admin shard`, so that each application has a range of its own');
}

async function refuseServices(backup: Store['backup'], console: Console): Promise<void> {
  const services = await backup.services().catch((error: Error) => unknown(console, error));
  if (services.length === 0) return;
  const { database } = await backup.contents();
  throw new AdminError(`services use the database ${database} (${services.join(', ')}): stop them first`);
}

function refuseUnreadable({ message }: Error): never {
  throw new AdminError(
    `the newest backup beside it may know further erasures, and cannot be read: ${message}\nmove it away to restore without them`,
  );
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
  finish: () => Promise<void>,
): Promise<Verified> {
  let verified: Verified | undefined;
  async function* all() {
    verified = yield* blocks;
  }
  try {
    await backup.restore(all(), startedAt, finish);
  } catch (error) {
    const { message } = error as Error;
    throw new AdminError(
      `${message}\nthe database holds only part of the backup, and no service uses it: restore again with --force`,
    );
  }
  return verified as unknown as Verified;
}
