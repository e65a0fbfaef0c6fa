import { within } from '@sluice/shared/deadline.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { QueueDefinition } from './definition.ts';
import { keyPrefix, type RedisConfig } from './redis.ts';

export interface Producer<Payload> {
  /** Delivers at least once; rejects at once while Redis is away, after REDIS_TIMEOUT when it does not answer. */
  add(payload: Payload, priority?: number): Promise<void>;
  /** Does nothing where the queue does not know it. Behind what has that priority already. */
  setPriority(payload: Payload, priority: number): Promise<void>;
  /** Workers that are connected to this queue now. */
  workers(): Promise<number>;
  /** Jobs that a free worker would get now. */
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
    async add(payload, priority = 0) {
      const options = { ...definition.options, jobId: definition.idOf(payload), priority };
      await ask(() => queue.add(definition.name, payload, options));
    },
    setPriority: (payload, priority) =>
      ask(async () => {
        const job = await queue.getJob(definition.idOf(payload));
        await job?.changePriority({ priority });
      }),
    workers: () => ask(() => queue.getWorkersCount()),
    waiting: () => ask(() => queue.getJobCountByTypes('waiting', 'prioritized')),
    close: () => queue.close(),
  };
}
