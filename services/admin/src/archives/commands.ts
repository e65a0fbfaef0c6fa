import type { Store } from '@sluice/jobs/connect.ts';
import { archiveOpener } from '@sluice/jobs/open-archive.ts';
import { LakeFault } from '@sluice/objects/lake/manifest.ts';
import { type ObjectStore, ObjectStoreError } from '@sluice/objects/object-store.ts';
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
        const compactAll = (onFault?: OnFault) =>
          forEach(
            store,
            config,
            domain,
            async (found) => {
              const said = await compactOne(store, found, periodMs);
              if (said !== undefined) console.log(said);
            },
            onFault,
          );
        if (periodMs === undefined) return compactAll();
        // An archive whose bucket cannot be reached does not keep the others waiting.
        const tellFault = (error: Error, of: string) =>
          console.error(`${of}: ${error.message || error.name}. It is tried again`);
        const retryMs = Math.min(periodMs, lookMs);
        await forever({ what: 'Compaction', retryMs, console }, async () => {
          await compactAll(tellFault);
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
        const tell = async ({ archive, domain, objects }: Found) => {
          const { entries, faults } = await verify(store, objects, archive, domain);
          console.log(`${domain}: ${shown(entries)} entries, ${faults.length === 0 ? 'equal' : 'not equal'}`);
          for (const fault of faults) console.log(`  ${fault}`);
          isEqual &&= faults.length === 0;
        };
        // The others are compared all the same.
        await forEach(store, config, domain, tell, (error, of, archive) => {
          if (!isPlace(error)) throw error;
          console.log(`${of}: archive ${archive} cannot be read: ${error.message}`);
          isEqual = false;
        });
        if (!isEqual) throw new AdminError('archives differ from MongoDB, or cannot be read');
      }),
    );
}

type OnFault = (error: Error, domain: string, archive: string) => void;

const isPlace = (error: Error) => error instanceof LakeFault || error instanceof ObjectStoreError;

function asAdminError(error: Error): never {
  if (isPlace(error)) throw new AdminError(error.message);
  throw error;
}

async function forEach(
  store: Store,
  config: AdminConfig,
  domain: string | undefined,
  work: (found: Found) => Promise<void>,
  onFault: OnFault = asAdminError,
): Promise<void> {
  const domains =
    domain === undefined ? (await store.applications.overview()).map((each) => each.domain) : [domain];
  const open = archiveOpener(config);
  for (const each of domains) {
    const { id } = await findApplication(store, each);
    for (const archive of await store.archives.list(id))
      try {
        const objects = open(archive);
        await work({ archive, domain: each, objects }).finally(objects.close);
      } catch (error) {
        onFault(error as Error, each, archive.id);
      }
  }
}
