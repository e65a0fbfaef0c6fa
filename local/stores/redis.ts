import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { localStores } from '@sluice/shared/config/local-stores.ts';
import { redis } from './find.ts';
import { redisCommand } from './redis-command.ts';
import { type OverFolder, runOverFolder, Unusable } from './run-over-folder.ts';
import { type Store, type StoreOptions, until, usedAsIs } from './store.ts';

/** A Redis or Valkey that keeps its data across restarts and never evicts a job. */
export async function startRedis(options: StoreOptions): Promise<Store> {
  if (options.url) return usedAsIs(options.url, redis.variable);
  const dir = join(options.dataDir, 'redis');
  const shared = ['--appendonly', 'yes', '--save', '', '--maxmemory-policy', 'noeviction'];
  const url = localStores.redis;
  return runOrBeginAnew({
    name: 'redis',
    rank: 2,
    kind: redis,
    folder: dir,
    ...options,
    url,
    programArgs: (port) => ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, ...shared],
    container: {
      inside: 6379,
      mount: { source: dir, target: '/data' },
      args: ['--bind', '0.0.0.0', '--protected-mode', 'no', ...shared],
    },
    prepare: (port, _inside, alive) => until(() => ping(url(port)), alive),
  });
}

/** Renames a folder over which no server starts. Workers enqueue unfinished jobs again from MongoDB. */
async function runOrBeginAnew(server: OverFolder): Promise<Store> {
  const { folder, log } = server;
  try {
    return await runOverFolder(server);
  } catch (unusable) {
    if (!(unusable instanceof Unusable)) throw unusable;
    const aside = `${folder}.unreadable-${new Date().toISOString().replaceAll(/[:.]/g, '')}`;
    renameSync(folder, aside);
    try {
      const store = await runOverFolder(server);
      log(
        `Redis begins with an empty folder: ${unusable.tried} cannot use the old one, now ${aside}; no job is lost`,
      );
      return store;
    } catch {
      // The folder is not the cause of the failure.
      rmSync(folder, { recursive: true, force: true });
      renameSync(aside, folder);
      throw unusable;
    }
  }
}

async function ping(url: string): Promise<void> {
  const answer = await redisCommand(url, 'PING');
  if (!answer.startsWith('+PONG')) throw new Error(`redis answers ${answer.trim()}`);
}
