import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createProducer } from '@sluice/jobs/queue/producer.ts';
import { exportsQueue } from '@sluice/jobs/queue/queues.ts';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../support/cuttable-proxy.ts';
import { ownRedis } from '../support/own-redis.ts';
import { until } from '../support/sluice.ts';

const program = join(import.meta.dirname, '../support/unresponsive-worker.ts');

it('a worker that hears of no job while some wait ends, to be started again; a busy or an idle one does not', async () => {
  const { hostname, port } = new URL(inject('redisUrl'));
  const proxy = await createCuttableProxy({ host: hostname, port: Number(port || 6379) });
  onTestFinished(proxy.close);
  const { config, log, redis } = await ownRedis();
  const producer = createProducer(exportsQueue, redis, config, log);

  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env.PATH ?? '',
      REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
      WATCH_URL: config.url,
      REDIS_PREFIX: config.prefix,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const events: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => events.push(JSON.parse(line).event));
  const ended = once(child, 'exit');

  await until(async () => events.includes('started'));
  // While it does the first, which takes longer than it may be silent, the second waits.
  for (const jobId of ['1', '2']) await producer.add({ jobId, slot: 0 });
  await until(async () => events.filter((event) => event === 'did').length === 2);
  expect(events).not.toContain('worker.unresponsive');

  proxy.stall();
  await producer.add({ jobId: '3', slot: 0 });
  expect((await ended)[0]).toBe(1);
  expect(events.at(-1)).toBe('worker.unresponsive');
  expect(events.filter((event) => event === 'took')).toHaveLength(2);
});
