import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { localStores } from '@sluice/shared/config/local-stores.ts';
import { findServer, redis } from './find.ts';
import { redisCommand } from './redis-command.ts';
import { runStore, type Store, type StoreOptions, until, usedAsIs } from './store.ts';

/** Redis or Valkey that keeps what it was told across restarts and never evicts a job. */
export async function startRedis(options: StoreOptions): Promise<Store> {
  if (options.url) return usedAsIs(options.url, redis.variable);
  const found = await findServer(redis, options);
  const dir = join(options.dataDir, 'redis');
  mkdirSync(dir, { recursive: true });
  const shared = ['--appendonly', 'yes', '--save', '', '--maxmemory-policy', 'noeviction'];
  const url = localStores.redis;
  return runStore(
    {
      ...{ name: 'redis', rank: 2, found, ...options },
      programArgs: (port) => ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, ...shared],
      container: {
        inside: 6379,
        mount: { source: dir, target: '/data' },
        args: ['--bind', '0.0.0.0', '--protected-mode', 'no', ...shared],
      },
      prepare: (port, _inside, alive) => until(() => ping(url(port)), alive),
    },
    url,
  );
}

async function ping(url: string): Promise<void> {
  const answer = await redisCommand(url, 'PING');
  if (!answer.startsWith('+PONG')) throw new Error(`redis answers ${answer.trim()}`);
}
