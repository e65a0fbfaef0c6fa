import { shardKeys } from '@sluice/store/sharding/collections.ts';
import { inject, onTestFinished } from 'vitest';
import { ownStores, quickPurges, startSluice } from '../sluice.ts';
import { mayScatter } from './scattered.ts';
import { startMongos } from './start-mongos.ts';

/** A Sluice with workers, and the stand-in for `mongos` between it and the tests' MongoDB. Call in a test. */
export async function startSharded(env: Record<string, string> = {}) {
  const mongos = await startMongos({ url: inject('mongodbUrl'), sharded: shardKeys, mayScatter });
  const { pathname } = new URL(ownStores().MONGODB_URL as string);
  const url = new URL(mongos.url);
  url.pathname = pathname;
  const all = { MONGODB_URL: url.href, ...env };
  const sluice = await startSluice({ env: all, workerEnv: { ...all, ...quickPurges } });
  onTestFinished(async () => {
    mongos.heal();
    await sluice.stop();
    await mongos.stop();
  });
  return { mongos, sluice };
}
