import { expect, it, onTestFinished } from 'vitest';
import { ownRedis } from '../../../../test/support/own-redis.ts';
import { until } from '../../../../test/support/sluice.ts';
import { consume } from './consumer.ts';
import { createProducer } from './producer.ts';
import { invalidationsQueue, timings } from './queues.ts';
import { announceChange, hearChanges } from './redis.ts';

it('tells every API process, though the job reaches one worker alone', async () => {
  const { config, log, redis } = await ownRedis();

  const heard = Array.from({ length: 3 }, () => new Set<string>());
  for (const each of heard) onTestFinished(hearChanges(config, log, (id) => each.add(id)));
  await until(async () => (await redis.pubsub('NUMSUB', `{${config.prefix}}:applications-changed`))[1] === 3);

  let taken = 0;
  const handlers = {
    async invalidation(payload: { applicationId: string }) {
      taken += 1;
      await announceChange(redis, config, payload.applicationId);
    },
  };
  for (let worker = 0; worker < 2; worker++) {
    const consumer = consume(invalidationsQueue, handlers, { redis: config, concurrency: 1, timings, log });
    onTestFinished(consumer.close);
  }
  const applicationId = 'a0'.repeat(12);
  await createProducer(invalidationsQueue, redis, config, log).add({ applicationId });
  await until(async () => heard.every((each) => each.has(applicationId)));
  expect(taken).toBe(1);
});
