import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createChildren } from '../../local/children.ts';
import { localEnv } from '../../local/env.ts';
import { startMongodb } from '../../local/stores/mongodb.ts';
import { startRedis } from '../../local/stores/redis.ts';
import { ramDisk } from './ram-disk.ts';
import type { TestStores } from './test-stores.ts';

/** MongoDB and Redis as `npm start` runs them, in a temporary folder; in memory where there is room. */
export async function startPrograms(log: (line: string) => void): Promise<TestStores> {
  const { cacheDir } = localEnv();
  const dataDir = await mkdtemp(join(ramDisk(), 'sluice-test-'));
  const children = createChildren(join(dataDir, 'run'));
  process.once('exit', children.killAll);
  const stop = async () => {
    await children.stopAll();
    await sayFatal(join(dataDir, 'logs', 'mongod.log'), log);
    await rm(dataDir, { recursive: true, force: true });
  };
  const shared = { dataDir, cacheDir, children, log };
  try {
    const [mongodb, redis] = await Promise.all([startMongodb(shared), startRedis(shared)]);
    return {
      mongodbUrl: mongodb.url,
      mongodbSource: mongodb.source,
      redisUrl: redis.url,
      redisSource: redis.source,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Prints the fatal lines of MongoDB's log before the log is removed. */
async function sayFatal(file: string, log: (line: string) => void): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '');
  for (const line of text.split('\n')) if (line.includes('"s":"F"')) log(line);
}
