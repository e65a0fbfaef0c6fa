import { randomBytes } from 'node:crypto';
import { connectRedis } from '@sluice/jobs/queue/redis.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import fc from 'fast-check';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../../../../test/support/cuttable-proxy.ts';
import { until } from '../../../../test/support/sluice.ts';
import { createCounters } from './rate.ts';
import { createUploadRates } from './upload-rate.ts';

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
    const week = 7 * 24 * 3_600_000;
    const rate = { count: 100, durationMs: week };
    const [one, other] = [createUploadRates(rate, redis, config), createUploadRates(rate, redis, config)];
    onTestFinished(() => {
      one.close();
      other.close();
    });
    const key = { id: 'k', rate: { count: 50, durationMs: week } };
    const left = ({ take }: typeof one, entries: number, sent?: typeof key) =>
      take('a', sent, entries)?.['ratelimit-remaining'];
    await proxy[how]();
    expect([left(one, 60), left(other, 30), left(other, 30, key)]).toEqual(['40', '70', '20']);
    expect(() => one.take('a', undefined, 41)).toThrow(/^rate limit reached: 100 entries per 7 days/);
    await proxy.restore();
    await isReady();
    await until(async () => {
      try {
        other.take('a', undefined, 11);
        return false;
      } catch {
        return true;
      }
    });
    expect(() => one.take('b', undefined, 101)).toThrow(/^the batch has 101 lines/);
    // The key counts wherever it is used, with the other limit or without.
    expect(() => other.take('b', key, 21)).toThrow(/^rate limit reached: 50 entries per 7 days for this key/);
    expect(other.take('b', key, 20)?.['ratelimit-remaining']).toBe('0');
  },
);

it('forgets what Redis did not take in windows that are over', async () => {
  const { proxy, config, redis, isReady } = await start();
  const rates = createUploadRates({ count: 100, durationMs: 1_000 }, redis, config);
  onTestFinished(rates.close);
  const windowNow = () => Math.floor(Date.now() / 1_000);
  await proxy.cut();
  const first = windowNow();
  rates.take('a', undefined, 1);
  await until(async () => windowNow() > first + 1);
  await proxy.restore();
  await isReady();
  const windows = async () => (await redis.keys('*:uploads:a:*')).map((key) => Number(key.split(':').at(-1)));
  const seen: number[] = [];
  await until(async () => {
    rates.take('a', undefined, 1);
    seen.push(...(await windows()));
    return seen.length > 0;
  });
  expect(Math.min(...seen)).toBeGreaterThan(first + 1);
});

it('counts an upload for its application and for its key, or for none, and tells the tighter of them', async () => {
  const { config, redis } = await start();
  const week = 7 * 24 * 3_600_000;
  const ofApplication = { count: 20, durationMs: week };
  const rates = createUploadRates(ofApplication, redis, config);
  onTestFinished(rates.close);
  const ofKeys = [5, 12, 30, undefined];
  const upload = fc.tuple(fc.nat(1), fc.option(fc.nat(3)), fc.integer({ min: 1, max: 8 }));
  let runs = 0;
  fc.assert(
    fc.property(fc.array(upload, { maxLength: 40 }), (uploads) => {
      runs += 1;
      const used = new Map<string, number>();
      for (const [a, k, entries] of uploads) {
        const [application, key] = [`a${runs} ${a}`, `k${runs} ${a} ${k}`];
        const count = k === null ? undefined : ofKeys[k];
        const sent =
          k === null ? undefined : { id: key, rate: count ? { count, durationMs: week } : undefined };
        const leftOf = (id: string, limit: number) => limit - (used.get(id) ?? 0);
        const limits: [string, number][] = [
          [application, 20],
          ...(count ? [[key, count] as [string, number]] : []),
        ];
        const left = Math.min(...limits.map(([id, limit]) => leftOf(id, limit)));
        const take = () => Number(rates.take(application, sent, entries)?.['ratelimit-remaining']);
        if (entries > left) expect(take).toThrow(/nothing was stored$/);
        else {
          expect(take()).toBe(left - entries);
          for (const [id] of limits) used.set(id, (used.get(id) ?? 0) + entries);
        }
      }
    }),
  );
});
