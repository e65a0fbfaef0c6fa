import type { Logger } from '@sluice/shared/logger.ts';
import { Redis, type RedisOptions } from 'ioredis';

export type { Redis };

export interface RedisConfig {
  url: string;
  prefix: string;
  /** How long a command waits for an answer. */
  timeoutMs: number;
}

/** The braces put all keys of a queue into one slot of a Redis cluster. */
export const keyPrefix = ({ prefix }: RedisConfig) => `{${prefix}}`;

const reconnect: RedisOptions = {
  retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  connectTimeout: 5_000,
  // ioredis does not catch errors of its own resubscription: see `hearChanges`.
  autoResubscribe: false,
};

/**
 * Opens a connection that reconnects by itself. With `patient`, commands wait for Redis.
 * With `impatient`, commands fail at once while Redis is away, and a late answer closes the connection.
 */
export function connectRedis(
  { url, timeoutMs }: Pick<RedisConfig, 'url'> & Partial<RedisConfig>,
  log: Logger,
  mode: 'impatient' | 'patient',
): Redis {
  const redis = new Redis(url, {
    ...reconnect,
    ...(mode === 'impatient'
      ? { enableOfflineQueue: false, maxRetriesPerRequest: 0, socketTimeout: timeoutMs }
      : { maxRetriesPerRequest: null }),
  });
  let away = false;
  redis.on('error', (error: NodeJS.ErrnoException) => {
    if (!away) log.warn({ event: 'redis.away', reason: error.code ?? error.message }, 'Redis is away');
    away = true;
  });
  redis.on('ready', () => {
    if (away) log.info({ event: 'redis.back' }, 'Redis is back');
    away = false;
  });
  return redis;
}

const channelOf = (config: RedisConfig) => `${keyPrefix(config)}:applications-changed`;

/** Tells every API process that an application changed. A message can be lost: it is a hint, not the truth. */
export async function announceChange(
  redis: Redis,
  config: RedisConfig,
  applicationId: string,
): Promise<void> {
  await redis.publish(channelOf(config), applicationId);
}

/** Receives announced changes. Returns a function that stops. */
export function hearChanges(
  config: RedisConfig,
  log: Logger,
  onChange: (applicationId: string) => void,
): () => void {
  const redis = connectRedis(config, log, 'patient');
  redis.on('message', (_channel: string, applicationId: string) => onChange(applicationId));
  redis.on('ready', () => {
    redis
      .subscribe(channelOf(config))
      .catch((error) => log.debug({ event: 'broadcast.ended', reason: error.message }));
  });
  return () => redis.disconnect();
}
