import { Queue } from 'bullmq';
import { exportsQueue, importsQueue, invalidationsQueue, purgesQueue } from './queues.ts';
import { keyPrefix, type Redis, type RedisConfig } from './redis.ts';

/** All queues as BullMQ has them. The connection stays the caller's to close. */
export const openQueues = (redis: Redis, config: RedisConfig): Queue[] =>
  [exportsQueue, importsQueue, purgesQueue, invalidationsQueue].map(
    ({ name }) => new Queue(name, { connection: redis, prefix: keyPrefix(config), skipVersionCheck: true }),
  );
