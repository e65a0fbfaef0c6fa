import { MongoClient } from 'mongodb';
import type { TestProject } from 'vitest/node';
import { redisCommand } from '../../local/stores/redis-command.ts';
import { startTestStores } from './test-stores.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A real replica set. Tests use databases of their own in it. */
    mongodbUrl: string;
    /** A real Redis or Valkey. Tests use prefixes of their own in it. */
    redisUrl: string;
    /** A real sharded cluster: databases of tests must be sharded first. */
    isCluster: boolean;
  }
}

/** Starts the stores once for all test files, and says which they are. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const log = (line: string) => console.log(line);
  const stores = await startTestStores(log);
  try {
    const [mongodb, redis] = await Promise.all([
      mongodbVersion(stores.mongodbUrl),
      redisVersion(stores.redisUrl),
    ]);
    log(`Tests use ${mongodb} (${stores.mongodbSource}) and ${redis} (${stores.redisSource})`);
  } catch (error) {
    await stores.stop();
    throw error;
  }
  project.provide('mongodbUrl', stores.mongodbUrl);
  project.provide('redisUrl', stores.redisUrl);
  project.provide('isCluster', false);
  return stores.stop;
}

async function mongodbVersion(url: string): Promise<string> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000 });
  try {
    const { version } = await client.db('admin').command({ buildInfo: 1 });
    return `MongoDB ${version}`;
  } finally {
    await client.close();
  }
}

async function redisVersion(url: string): Promise<string> {
  const info = await redisCommand(url, 'INFO');
  const valkey = /^valkey_version:(\S+)/m.exec(info)?.[1];
  return valkey
    ? `Valkey ${valkey}`
    : `Redis ${/^redis_version:(\S+)/m.exec(info)?.[1] ?? '(unknown version)'}`;
}
