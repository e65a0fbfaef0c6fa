import { announceChange } from '@sluice/queues/broadcast.ts';
import type { RedisConfig } from '@sluice/queues/redis.ts';
import type { Redis } from 'ioredis';

/** Tells every API process to drop an application from its schema cache. */
export function createInvalidate(redis: Redis, config: RedisConfig) {
  return ({ applicationId }: { applicationId: string }) => announceChange(redis, config, applicationId);
}
