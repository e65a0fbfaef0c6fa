import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { within } from '../deadline.ts';
import type { Logger } from '../logger.ts';
import type { QueueDefinition } from './definition.ts';
import { keyPrefix, type RedisConfig } from './redis.ts';

export interface Producer<Payload> {
  /** Delivers at least once; rejects at once while Redis is away, after REDIS_TIMEOUT when it does not answer. */
  add(payload: Payload): Promise<void>;
  /** Workers that are connected to this queue now. */
  workers(): Promise<number>;
  waiting(): Promise<number>;
  close(): Promise<void>;
}

/** The sending end of a queue. The connection stays the caller's to close. */
export function createProducer<Payload>(
  definition: QueueDefinition<Payload>,
  redis: Redis,
  config: RedisConfig,
  log: Logger,
): Producer<Payload> {
  const queue = new Queue(definition.name, {
    connection: redis,
    prefix: keyPrefix(config),
    skipVersionCheck: true,
  });
  queue.on('error', (error) =>
    log.debug({ event: 'queue.error', queue: definition.name, reason: error.message }),
  );

  function ask<T>(command: () => Promise<T>): Promise<T> {
    if (redis.status !== 'ready') return Promise.reject(new Error('Redis is away'));
    return within(config.timeoutMs, 'Redis does not answer', command());
  }

  return {
    async add(payload) {
      const options = { ...definition.options, jobId: definition.idOf(payload) };
      await ask(() => queue.add(definition.name, payload, options));
    },
    workers: () => ask(() => queue.getWorkersCount()),
    waiting: () => ask(() => queue.getWaitingCount()),
    close: () => queue.close(),
  };
}
