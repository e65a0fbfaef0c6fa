import type { Logger } from '@sluice/shared/logger.ts';
import type { Redis } from 'ioredis';
import { connectRedis, keyPrefix, type RedisConfig } from './redis.ts';

const channelOf = (config: RedisConfig) => `${keyPrefix(config)}:applications-changed`;

/** Tells every API process that an application changed. A message can be lost: it is a hint, not the truth. */
export async function announceChange(
  redis: Redis,
  config: RedisConfig,
  applicationId: string,
): Promise<void> {
  await redis.publish(channelOf(config), applicationId);
}

/** Hears what `announceChange` says; returns how to stop. */
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
