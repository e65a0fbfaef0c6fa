import type { Store } from '@sluice/jobs/connect.ts';
import { type Checks, type Finding, fail, ok, warn } from './finding.ts';

const remedy = 'run `sluice-admin shard`';

/** Checks a sharded cluster. */
export const clusterChecks = ({ cluster, balancer, sharding }: Store): Checks => ({
  cluster: async () => shards(await cluster.shards()),
  'sharded collections': async () => {
    const wrong = await sharding.faults();
    return wrong.length === 0
      ? ok('each is sharded by its key, and no index stands against it')
      : fail(`${wrong.join(', ')}: ${remedy}`);
  },
  balancer: async () => {
    const { isRunning, stoppedAt } = await balancer.state();
    if (isRunning) return ok('it runs');
    return warn(
      stoppedAt
        ? `a backup stopped it at ${stoppedAt.toISOString()}: wait for the backup; if none runs, make one, which starts the balancer again`
        : 'it is off, so all new entries stay where they are: start it with sh.startBalancer() in mongosh',
    );
  },
});

function shards(names: string[]): Finding {
  const message = `its shards: ${names.join(', ')}`;
  return names.length < 2 ? warn(`${message}: add another one with sh.addShard in mongosh`) : ok(message);
}
