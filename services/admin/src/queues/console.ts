import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import basicAuth from '@fastify/basic-auth';
import { openQueue } from '@sluice/jobs/queue/producer.ts';
import { allQueues } from '@sluice/jobs/queue/queues.ts';
import type { Redis, RedisConfig } from '@sluice/jobs/queue/redis.ts';
import { fastify } from 'fastify';
import { log } from '../log.ts';

export interface QueueConsole {
  url: string;
  username: string;
  /** Each start has a new one. */
  password: string;
  close(): Promise<void>;
}

const username = 'operator';

/**
 * Shows the queues, read-only, to browsers on this machine. Rejects if the port is taken.
 *
 * Jobs are recorded in MongoDB, so `sluice-admin jobs` changes them.
 */
export async function openQueueConsole(
  redis: Redis,
  config: RedisConfig,
  port: number,
): Promise<QueueConsole> {
  const password = randomBytes(18).toString('base64url');
  const known = Buffer.from(password);
  const app = fastify();
  await app.register(basicAuth, {
    authenticate: { realm: 'Sluice' },
    async validate(name, given) {
      const bytes = Buffer.from(given);
      const isRight = bytes.length === known.length && timingSafeEqual(bytes, known);
      if (name !== username || !isRight) throw new Error('wrong username or password');
    },
  });
  app.addHook('onRequest', app.basicAuth);
  const board = new FastifyAdapter();
  createBullBoard({
    queues: allQueues.map(
      ({ name }) => new BullMQAdapter(openQueue(name, redis, config, log), { readOnlyMode: true }),
    ),
    serverAdapter: board,
    options: { uiConfig: { boardTitle: 'Sluice' } },
  });
  await app.register(board.registerPlugin());
  const url = await app.listen({ host: '127.0.0.1', port });
  return { url, username, password, close: () => app.close() };
}
