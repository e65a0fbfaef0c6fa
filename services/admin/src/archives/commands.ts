import type { Store } from '@sluice/jobs/connect.ts';
import { archiveOpener } from '@sluice/jobs/open-archive.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import type { AdminConfig } from '@sluice/shared/config/load.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import type { Command } from 'commander';
import { AdminError } from '../admin-error.ts';
import { findApplication } from '../applications/find-application.ts';
import { durationUpTo } from '../duration-option.ts';
import { forever } from '../forever.ts';
import type { AdminTerminal } from '../terminal.ts';
import { actOn } from '../with-store.ts';
import { compactOne } from './compact-archives.ts';
import { verify } from './verify.ts';

/** How often to look which archives are due. */
const lookMs = 3_600_000;

interface Found {
  archive: ArchiveRecord;
  domain: string;
  /** For messages. */
  name: string;
  objects: ObjectStore;
}

/** `sluice-admin archives`. */
export function addArchives(program: Command, terminal: AdminTerminal): void {
  const { console } = terminal;
  const act = actOn(terminal);
  const archives = program.command('archives').description('Look after the files of archives.');
  const shown = (count: number) => count.toLocaleString('en');

  archives
    .command('compact')
    .description('Take deleted entries out of the files. Services may run meanwhile.')
    .argument('[domain]', 'of one application; without it all')
    .option('--every <duration>', 'go on for ever, and compact each archive so often', durationUpTo(365))
    .addHelpText('after', '\nExample: sluice-admin archives compact')
    .action(
      act(async ([store, config], domain: string | undefined, { every: periodMs }: { every?: number }) => {
        const compactAll = () =>
          forEach({ store, config, console }, domain, async (found) => {
            const said = await compactOne(store, found, periodMs);
            if (said !== undefined) console.log(`${found.name}: ${said}`);
          });
        if (periodMs === undefined) {
          if (!(await compactAll())) throw new AdminError('some archives could not be compacted');
          return;
        }
        const retryMs = Math.min(periodMs, lookMs);
        await forever({ what: 'Compaction', retryMs, console }, async () => {
          await compactAll();
          return retryMs;
        });
      }),
    );

  archives
    .command('verify')
    .description('Compare the files with their manifests, and their entries with those of MongoDB.')
    .argument('[domain]', 'of one application; without it all')
    .addHelpText('after', '\nExample: sluice-admin archives verify')
    .action(
      act(async ([store, config], domain: string | undefined) => {
        let isEqual = true;
        const areRead = await forEach(
          { store, config, console },
          domain,
          async ({ archive, domain, name, objects }) => {
            const { entries, faults } = await verify(store, objects, archive, domain);
            console.log(`${name}: ${shown(entries)} entries, ${faults.length === 0 ? 'equal' : 'not equal'}`);
            for (const fault of faults) console.log(`  ${fault}`);
            isEqual &&= faults.length === 0;
          },
        );
        if (!isEqual || !areRead) throw new AdminError('archives differ from MongoDB, or cannot be read');
      }),
    );
}

/**
 * Works on each archive. What one fails with is told with its name, and does not keep the others waiting.
 * Returns whether none failed.
 */
async function forEach(
  { store, config, console }: { store: Store; config: AdminConfig; console: Pick<Console, 'error'> },
  domain: string | undefined,
  work: (found: Found) => Promise<void>,
): Promise<boolean> {
  const found =
    domain === undefined ? await store.applications.overview() : [await findApplication(store, domain)];
  const open = archiveOpener({ ...config, archiveFolder: config.archiveFolder() });
  let isWell = true;
  for (const { domain } of found) {
    const application = await store.applications.byDomain(domain);
    // Deleted meanwhile.
    if (!application) continue;
    for (const archive of await store.archives.list(application.id)) {
      const name = `${domain}, archive ${archive.id}`;
      try {
        const objects = open(archive);
        await work({ archive, domain, name, objects }).finally(objects.close);
      } catch (error) {
        const { message, name: kind } = error as Error;
        console.error(`${name}: ${message || kind}`);
        isWell = false;
      }
    }
  }
  return isWell;
}
