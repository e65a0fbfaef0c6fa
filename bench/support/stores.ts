import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChildren } from '../../local/children.ts';
import { localEnv } from '../../local/env.ts';
import { startMongodb } from '../../local/stores/mongodb.ts';
import { startRedis } from '../../local/stores/redis.ts';

const says = (line: string) => console.error(line);

/** A new MongoDB, run like by `npm start`, in a folder that `stop` removes. */
export const startMongod = () => startIn(async (shared) => (await startMongodb(shared)).url);

/** The same for Redis. */
export const startValkey = () => startIn(async (shared) => (await startRedis(shared)).url);

async function startIn(start: (shared: Parameters<typeof startMongodb>[0]) => Promise<string>) {
  const { cacheDir } = localEnv();
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  const children = createChildren(join(dataDir, 'run'));
  process.once('exit', children.killAll);
  const url = await start({ dataDir, cacheDir, children, log: says });
  return {
    url,
    async stop() {
      await children.stopAll();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
