import type { Store } from '@sluice/jobs/connect.ts';
import { archiveOpener } from '@sluice/jobs/open-archive.ts';
import { LakeFault } from '@sluice/objects/lake/manifest.ts';
import { type ObjectStore, ObjectStoreError } from '@sluice/objects/object-store.ts';
import type { AdminConfig } from '@sluice/shared/config/load.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import type { Command } from 'commander';
import { AdminError } from '../admin-error.ts';
import { findApplication } from '../applications/find-application.ts';
import type { AdminTerminal } from '../terminal.ts';
import { actOn } from '../with-store.ts';
import { compact } from './compact.ts';
import { verify } from './verify.ts';

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
    .addHelpText('after', '\nExample: sluice-admin archives compact')
    .action(
      act(async ([store, config], domain: string | undefined) => {
        await forEach(store, config, domain, async ({ archive, domain, objects }) => {
          const { entries, rewritten, removed, orphans } = await compact(store, objects, archive, domain);
          console.log(
            `${domain}: ${shown(entries)} deleted entries taken out, ${shown(rewritten)} files rewritten, ${shown(removed + orphans)} removed`,
          );
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
        await forEach(store, config, domain, async ({ archive, domain, objects }) => {
          const { entries, faults } = await verify(store, objects, archive, domain);
          console.log(`${domain}: ${shown(entries)} entries, ${faults.length === 0 ? 'equal' : 'not equal'}`);
          for (const fault of faults) console.log(`  ${fault}`);
          isEqual &&= faults.length === 0;
        });
        if (!isEqual) throw new AdminError('archives differ from MongoDB');
      }),
    );
}

async function forEach(
  store: Store,
  config: AdminConfig,
  domain: string | undefined,
  work: (found: Found) => Promise<void>,
): Promise<void> {
  const domains =
    domain === undefined ? (await store.applications.overview()).map((each) => each.domain) : [domain];
  const open = archiveOpener(config);
  try {
    for (const each of domains) {
      const { id } = await findApplication(store, each);
      for (const archive of await store.archives.list(id)) {
        const objects = open(archive);
        await work({ archive, domain: each, objects }).finally(objects.close);
      }
    }
  } catch (error) {
    if (error instanceof LakeFault || error instanceof ObjectStoreError) throw new AdminError(error.message);
    throw error;
  }
}
