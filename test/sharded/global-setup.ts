import { shardKeys } from '@sluice/store/sharding/collections.ts';
import type { TestProject } from 'vitest/node';
import startStores from '../support/global-setup.ts';
import { printAsked } from '../support/mongos/print-asked.ts';
import { mayScatter } from '../support/mongos/scattered.ts';
import { startMongos } from '../support/mongos/start-mongos.ts';

/** Puts the stand-in for `mongos` before the stores of the tests. What grows with entries is sharded in every database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stopStores = await startStores(project);
  const { MONGODB_URL } = process.env;
  if (MONGODB_URL) {
    project.provide('mongodbUrl', MONGODB_URL);
    project.provide('isCluster', true);
    return stopStores;
  }
  const { mongodbUrl } = project.getProvidedContext();
  const mongos = await startMongos({ url: mongodbUrl, sharded: shardKeys, mayScatter });
  project.provide('mongodbUrl', mongos.url);
  return async () => {
    printAsked(mongos.commands());
    await mongos.stop();
    await stopStores();
  };
}
