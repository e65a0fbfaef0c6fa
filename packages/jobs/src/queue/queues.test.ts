import { randomBytes } from 'node:crypto';
import { createLogger } from '@sluice/shared/logger.ts';
import { UnrecoverableError } from 'bullmq';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../../../../test/support/cuttable-proxy.ts';
import { until } from '../../../../test/support/sluice.ts';
import { consume } from './consumer.ts';
import { createProducer } from './producer.ts';
import {
  exportsQueue,
  idOf,
  invalidationsQueue,
  jobsQueue,
  purgesQueue,
  type QueueDefinition,
  type QueueKind,
  timings,
} from './queues.ts';
import { connectRedis } from './redis.ts';

const log = createLogger('test', { level: 'silent', pretty: false });
const id = 'a0'.repeat(12);

// biome-ignore lint/suspicious/noExplicitAny: each queue has a payload of its own
const queues: [definition: QueueDefinition<any>, payload: object, other: object][] = [
  [exportsQueue, { jobId: id, slot: 0 }, { jobId: 'b0'.repeat(12), slot: 0 }],
  [jobsQueue, { jobId: id, slot: 0 }, { jobId: id, slot: 1 }],
  [purgesQueue, { applicationId: id }, { applicationId: 'b0'.repeat(12) }],
  [invalidationsQueue, { applicationId: id }, { applicationId: 'b0'.repeat(12) }],
];

/** A prefix of its own in a Redis, and what is under it. */
async function start(url = inject('redisUrl')) {
  const config = { url, prefix: `test_${randomBytes(6).toString('hex')}`, timeoutMs: 30_000 };
  const redis = connectRedis(config, log, 'impatient');
  onTestFinished(() => redis.disconnect());
  const keys = async () => (await redis.keys(`*${config.prefix}*`)).sort();
  return { config, redis, keys, isReady: () => until(async () => redis.status === 'ready') };
}

describe.each(queues.map(([definition, ...payloads]) => [definition.name, definition, payloads] as const))(
  'the queue %s',
  (name, definition, [payload, other]) => {
    it('delivers once what was added twice, and keeps nothing of what was done or given up', async () => {
      const { config, redis, keys, isReady } = await start();
      await isReady();
      const producer = createProducer(definition, redis, config, log);
      for (const each of [payload, other, payload]) await producer.add(each);
      expect(await producer.waiting()).toBe(2);
      const [kind] = definition.kinds as [QueueKind];
      const jobs = [payload, other].map((each) => `{${config.prefix}}:${name}:${idOf(kind, each)}`);
      expect(await keys()).toEqual(expect.arrayContaining(jobs));
      expect(jobs.filter((job) => job.split(':').length !== 3)).toEqual([]);

      const delivered: object[] = [];
      const handler = async (each: object) => {
        delivered.push(each);
        if (delivered.length === 2) throw new UnrecoverableError('given up');
      };
      const consumer = consume(
        definition,
        { [kind]: handler },
        { redis: config, concurrency: 1, timings, log },
      );
      onTestFinished(consumer.close);
      await until(async () => (await redis.exists(...jobs)) === 0);
      expect(delivered).toEqual([payload, other]);
      const left = await keys();
      expect(left.filter((key) => !key.startsWith(`{${config.prefix}}:${name}:`))).toEqual([]);
      expect(left.filter((key) => /:(completed|failed)$/.test(key))).toEqual([]);
      // The same may be added again.
      await producer.add(payload);
      await until(async () => delivered.length === 3);
    });
  },
);

describe('adding to a queue', () => {
  it('is refused in time where there never was a Redis', async () => {
    const { config, redis } = await start('redis://127.0.0.1:1');
    await expect(
      createProducer(exportsQueue, redis, config, log).add({ jobId: id, slot: 0 }),
    ).rejects.toThrow('Redis is away');
  });

  it('is refused in time where Redis never said a word', async () => {
    const { hostname, port } = new URL(inject('redisUrl'));
    const proxy = await createCuttableProxy({ host: hostname, port: Number(port || 6379) });
    onTestFinished(proxy.close);
    proxy.stall();
    const { config, redis } = await start(`redis://127.0.0.1:${proxy.port}`);
    await until(async () => redis.status === 'connect');
    await expect(
      createProducer(exportsQueue, redis, config, log).add({ jobId: id, slot: 0 }),
    ).rejects.toThrow('Redis is away');
  });

  it('is given up in time where Redis says no more', async () => {
    const { hostname, port } = new URL(inject('redisUrl'));
    const proxy = await createCuttableProxy({ host: hostname, port: Number(port || 6379) });
    onTestFinished(proxy.close);
    const { config, redis, isReady } = await start(`redis://127.0.0.1:${proxy.port}`);
    await isReady();
    await createProducer(exportsQueue, redis, config, log).add({ jobId: id, slot: 0 });
    proxy.stall();
    const hasty = createProducer(exportsQueue, redis, { ...config, timeoutMs: 1_000 }, log);
    await expect(hasty.add({ jobId: id, slot: 0 })).rejects.toThrow('Redis does not answer');
  });
});
