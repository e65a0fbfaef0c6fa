import { connectRedis, type Redis, type RedisConfig } from '@sluice/jobs/queue/redis.ts';
import { within } from '@sluice/shared/deadline.ts';
import type { Logger } from '@sluice/shared/logger.ts';

export interface RedisFacts {
  /** `Redis 8.2.1` or `Valkey 9.1.2`. */
  version: string;
  role: string;
  evictionPolicy: string;
  /** Whether the data survives a restart. */
  isPersistent: boolean;
  /** Whether the last write to its disk failed. */
  isFailing: boolean;
  usedMemory: number;
  /** In bytes; 0: no limit. */
  maxMemory: number;
  /** Ms since the epoch. */
  now: number;
}

/** Collects facts for `sluice-admin doctor`. */
export async function inspectRedis(redis: Redis): Promise<RedisFacts> {
  const info = await redis.info();
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  const valkey = field('valkey_version');
  const saves = await redis
    .config('GET', 'save')
    .then((answer) => (answer as string[])[1] !== '')
    .catch(() => true);
  const [seconds, micros] = await redis.time();
  return {
    version: valkey ? `Valkey ${valkey}` : `Redis ${field('redis_version')}`,
    role: field('role'),
    evictionPolicy: field('maxmemory_policy'),
    isPersistent: field('aof_enabled') === '1' || saves,
    isFailing: field('rdb_last_bgsave_status') === 'err' || field('aof_last_write_status') === 'err',
    usedMemory: Number(field('used_memory')),
    maxMemory: Number(field('maxmemory')),
    now: Number(seconds) * 1_000 + Number(micros) / 1_000,
  };
}

const connectMs = 5_000;

/** A connection for a command of an operator. Rejects when Redis does not answer within 5 s. */
export async function openRedis(config: RedisConfig, log: Logger): Promise<Redis> {
  const redis = connectRedis(config, log, 'impatient');
  try {
    const ready = new Promise<void>((resolve) => redis.once('ready', resolve));
    await within(connectMs, 'Redis does not answer', ready);
    return redis;
  } catch (error) {
    redis.disconnect();
    throw error;
  }
}
