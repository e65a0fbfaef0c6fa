import type { Step } from '@sluice/store/sharding/shard-collections.ts';
import type { Command } from 'commander';
import { AdminError } from '../admin-error.ts';
import { findApplication } from '../applications/find-application.ts';
import type { AdminTerminal } from '../terminal.ts';
import { type Opened, withStore } from '../with-store.ts';

/** `sluice-admin shard`. */
export function addShard(program: Command, terminal: AdminTerminal): void {
  program
    .command('shard')
    .description('Spread the database over the shards of a cluster. Services may run meanwhile.')
    .option('--split <domain>', 'cut a large application into ranges of time, so that shards can share it')
    .addHelpText('after', '\nExample: sluice-admin shard --split weather-station-k3v9q2')
    .action(({ split }: { split?: string }) =>
      withStore(terminal, async (...opened) => {
        for await (const { did, what } of shard(opened, split))
          terminal.console.log(`${did ? 'done' : 'ok'}`.padEnd(4), ` ${what}`);
      }),
    );
}

async function* shard([store]: Opened, split?: string): AsyncGenerator<Step> {
  const { cluster, sharding, entrySplits } = store;
  if (!(await cluster.isCluster()))
    throw new AdminError(
      'MongoDB is no cluster: start config servers, shards and mongos, and name mongos in MONGODB_URL; see docs/scaling.md',
    );
  const application = split === undefined ? undefined : await findApplication(store, split);
  await store.prepare();
  const shards = await cluster.shards();
  yield { did: false, what: `the cluster has the shards ${shards.join(', ')}` };
  yield* sharding.shard();
  const { applications, there, made } = await entrySplits.atApplications();
  const begun = `${there + made} of ${applications} applications have a range of their own`;
  yield { did: made > 0, what: `entries: ${begun} (${made} new)` };
  if (application) {
    const cuts = await entrySplits.ofApplication(application.id);
    const what = `entries: cuts within ${application.domain}: ${cuts.there + cuts.made} (${cuts.made} new)`;
    yield { did: cuts.made > 0, what };
  }
}
