import { printRows } from '@sluice/shared/terminal/print.ts';
import { type Command, InvalidArgumentError } from 'commander';
import { AdminError } from '../admin-error.ts';
import { durationUpTo } from '../duration-option.ts';
import type { AdminTerminal } from '../terminal.ts';
import { withStore } from '../with-store.ts';
import { createEncryption } from './age.ts';
import { every } from './every.ts';
import { openPlace } from './place.ts';
import { withSource } from './source.ts';
import { prune, storedBackups } from './stored-backups.ts';
import { verify } from './verify.ts';
import { type BackupTarget, writeBackup } from './write-backup.ts';

interface BackupOptions {
  to?: string;
  encryptTo?: string[];
  keepDays?: number;
  every?: number;
}

const dayMs = 86_400_000;

/** `sluice-admin backup`, `backup verify` and `backups list`. */
export function addBackup(program: Command, terminal: AdminTerminal): void {
  const { console } = terminal;
  const backup = program
    .command('backup')
    .description('Write the whole database into one file, while Sluice serves.')
    .option('--to <place>', 'new file, s3://BUCKET/PREFIX, FOLDER/, or - for the standard output')
    .option('--encrypt-to <recipient...>', 'encrypt for these recipients of age')
    .option('--keep-days <days>', 'then remove backups in the same place that are older', wholeDays)
    .option(
      '--every <duration>',
      'go on for ever, and make one when the last in the place is so old',
      durationUpTo(7),
    )
    .addHelpText('after', '\nExample: sluice-admin backup --to sluice.backup')
    .action((options: BackupOptions) => makeBackups(terminal, options));
  backup
    .command('verify')
    .description('Read a backup to its end, check it and say what is in it.')
    .argument('<file>', 'backup, s3://BUCKET/PREFIX/NAME, or - for the standard input')
    .option('--identity <file>', 'identity of age for an encrypted backup, or - for the standard input')
    .addHelpText('after', '\nExample: sluice-admin backup verify sluice.backup')
    .action((from: string, { identity }: { identity?: string }) =>
      withSource(terminal, { from, identity }, async (source) => {
        const { header, verified } = await verify(source);
        console.log(`version   ${header.version}\nstarted   ${header.startedAt}\ndata of   ${verified.at}`);
        console.log(`sha256    ${verified.sha256}\n`);
        console.table(verified.collections);
      }),
    );
  program
    .command('backups')
    .description('Look at the backups of a bucket or a folder.')
    .command('list')
    .description('List the backups, the newest last.')
    .requiredOption('--from <place>', 's3://BUCKET/PREFIX, or a folder')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample: sluice-admin backups list --from s3://backups/sluice')
    .action(async ({ from, json }: { from: string; json?: boolean }) => {
      const objects = openPlace(from, terminal.env);
      if (!objects) throw new AdminError(`${from} is no folder`);
      try {
        printRows(
          console,
          (await storedBackups(objects)).map(({ name, at, bytes }) => ({ name, at, bytes })),
          json,
        );
      } finally {
        objects.close();
      }
    });
}

async function makeBackups(
  terminal: AdminTerminal,
  { to, encryptTo = [], keepDays, every: periodMs }: BackupOptions,
): Promise<void> {
  if (!to)
    throw new AdminError('say where to write the backup: --to FILE, or --to - for the standard output');
  const place = openPlace(to, terminal.env);
  if (!place && (keepDays ?? periodMs) !== undefined)
    throw new AdminError('--keep-days and --every need a place: --to s3://BUCKET/PREFIX, or --to FOLDER/');
  const target: BackupTarget = {
    to,
    place,
    encrypt: encryptTo.length > 0 ? createEncryption(encryptTo) : undefined,
  };
  const make = () =>
    withStore(terminal, async ({ backup }) => {
      const startedAt = await writeBackup(backup, terminal, target);
      if (place && keepDays !== undefined)
        await prune(place, new Date(startedAt.getTime() - keepDays * dayMs));
    });
  try {
    await (place && periodMs !== undefined ? every(periodMs, place, make, terminal.console) : make());
  } finally {
    place?.close();
  }
}

function wholeDays(given: string): number {
  if (!/^[1-9]\d{0,4}$/.test(given)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(given);
}
