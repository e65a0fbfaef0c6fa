import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { createChildren } from '../../local/children.ts';
import { dockerProblem, pullImage } from '../../local/stores/docker.ts';
import { startContainers } from './containers.ts';
import { testEnv } from './env.ts';
import { startPrograms } from './programs.ts';

export interface TestStores {
  mongodbUrl: string;
  redisUrl: string;
  mongodbSource: string;
  redisSource: string;
  stop(): Promise<void>;
}

const pullLimitMs = 120_000;
/** A whole run makes thousands of collections: MongoDB closes those that are no longer used. */
const closeUnused = 'file_manager=(close_idle_time=30,close_scan_interval=30)';

/** The stores that are set, or new ones. */
export async function startTestStores(log: (line: string) => void): Promise<TestStores> {
  const { mongodbUrl, redisUrl } = testEnv();
  if (mongodbUrl && redisUrl) {
    const sources = { mongodbSource: 'TEST_MONGODB_URL', redisSource: 'TEST_REDIS_URL' };
    return { mongodbUrl, redisUrl, ...sources, stop: async () => {} };
  }
  const stores = await startStores(log);
  const client = new MongoClient(stores.mongodbUrl);
  try {
    await client.db('admin').command({ setParameter: 1, wiredTigerEngineRuntimeConfig: closeUnused });
    return stores;
  } catch (error) {
    await stores.stop();
    throw error;
  } finally {
    await client.close();
  }
}

/** Containers; where Docker or the images are missing, programs. */
async function startStores(log: (line: string) => void): Promise<TestStores> {
  const { only, mongoImage, redisImage } = testEnv();
  if (only === 'local') return startPrograms(log);
  const problem = await containersProblem([mongoImage, redisImage], log);
  if (!problem) return startContainers({ mongo: mongoImage, redis: redisImage });
  if (only === 'docker') throw new Error(`SLUICE_TEST_STORES=docker, but Docker: ${problem}`);
  log(`Tests use no containers (Docker: ${problem})`);
  return startPrograms(log);
}

async function containersProblem(images: string[], log: (line: string) => void): Promise<string | undefined> {
  const problem = await dockerProblem();
  if (problem) return problem;
  const runDir = await mkdtemp(join(tmpdir(), 'sluice-pull-'));
  const children = createChildren(runDir);
  process.once('exit', children.killAll);
  try {
    for (const image of images) {
      const missing = await pullImage(image, children, log, pullLimitMs);
      if (missing) return missing;
    }
    return undefined;
  } finally {
    await rm(runDir, { recursive: true, force: true });
  }
}
