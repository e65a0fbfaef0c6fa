import { randomBytes } from 'node:crypto';
import { connectRedis } from '@sluice/jobs/queue/redis.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../../../../test/support/cuttable-proxy.ts';
import { until } from '../../../../test/support/sluice.ts';
import { createCounters, createUploadRate } from './rate.ts';

const log = createLogger('test', { level: 'silent', pretty: false });
const target = () => {
  const { hostname, port } = new URL(inject('redisUrl'));
  return { host: hostname, port: Number(port || 6379) };
};

/** A Redis that can be away or mute, and what counts there. */
async function start() {
  const proxy = await createCuttableProxy(target());
  const prefix = `test_${randomBytes(6).toString('hex')}`;
  const config = { url: `redis://127.0.0.1:${proxy.port}`, prefix, timeoutMs: 1_000 };
  const redis = connectRedis(config, log, 'impatient');
  onTestFinished(async () => {
    redis.disconnect();
    await proxy.close();
  });
  const isReady = () => until(async () => redis.status === 'ready');
  await isReady();
  return { proxy, config, redis, isReady };
}

it.each(['cut', 'stall'] as const)(
  'while Redis is away (%s) a process counts by itself, and goes on there when it is back',
  async (how) => {
    const { proxy, config, redis, isReady } = await start();
    const [one, other] = [createCounters(redis, config), createCounters(redis, config)].map((counters) =>
      counters('tries', 3_600),
    ) as [ReturnType<ReturnType<typeof createCounters>>, ReturnType<ReturnType<typeof createCounters>>];
    const counted = async (counter = one) => (await counter.penalty('ada')).consumedPoints;
    expect([await counted(), await counted(other), await counted()]).toEqual([1, 2, 3]);
    await proxy[how]();
    expect([await counted(), await counted()]).toEqual([1, 2]);
    // So no further request waits for it.
    expect(redis.status).not.toBe('ready');
    expect(await counted(other)).toBe(1);
    expect((await one.get('ada'))?.consumedPoints).toBe(2);
    await one.delete('ada');
    expect(await one.get('ada')).toBeNull();
    await proxy.restore();
    await isReady();
    expect(await counted()).toBeGreaterThan(3);
  },
);

it.each(['cut', 'stall'] as const)(
  'uploads wait for Redis never: what one process counts while it is away (%s) others learn when it is back',
  async (how) => {
    const { proxy, config, redis, isReady } = await start();
    const rate = { count: 100, durationMs: 7 * 24 * 3_600_000 };
    const [one, other] = [createUploadRate(rate, redis, config), createUploadRate(rate, redis, config)];
    onTestFinished(() => {
      one.close();
      other.close();
    });
    const left = ({ take }: typeof one, entries: number) => take('a', entries)['ratelimit-remaining'];
    await proxy[how]();
    expect([left(one, 60), left(other, 30)]).toEqual(['40', '70']);
    expect(() => one.take('a', 41)).toThrow(/^rate limit reached: 100 entries per 7 days/);
    await proxy.restore();
    await isReady();
    await until(async () => {
      try {
        other.take('a', 11);
        return false;
      } catch {
        return true;
      }
    });
    expect(() => one.take('b', 101)).toThrow(/^the batch has 101 lines/);
  },
);
