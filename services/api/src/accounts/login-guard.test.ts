import { randomBytes } from 'node:crypto';
import { connectRedis } from '@sluice/jobs/queue/redis.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createCounters } from '../limits/rate.ts';
import { createLoginGuard } from './login-guard.ts';

async function guardOnRedis() {
  const config = {
    url: inject('redisUrl'),
    prefix: `test_${randomBytes(6).toString('hex')}`,
    timeoutMs: 30_000,
  };
  const redis = connectRedis(config, createLogger('test', { level: 'silent', pretty: false }), 'impatient');
  onTestFinished(() => redis.disconnect());
  await new Promise((resolve) => redis.once('ready', resolve));
  const counters = createCounters(redis, config);
  return createLoginGuard((name, seconds) => {
    const counter = counters(name, seconds);
    // Waits so long that none ends amid a test.
    const set = counter.set.bind(counter);
    return Object.assign(counter, { set: (key: string, n: number, wait: number) => set(key, n, 60 * wait) });
  });
}

it('does not look at the password of an attempt that is refused', async () => {
  const guard = await guardOnRedis();
  let looks = 0;
  const attempt = () =>
    guard('ada', '192.0.2.1', async () => {
      looks += 1;
      return false;
    });
  for (let i = 0; i < 5; i++) expect(await attempt()).toBe(false);
  await expect(attempt()).rejects.toMatchObject({ name: 'TooManyRequestsError' });
  expect(looks).toBe(5);
});

it('does not count an attempt whose password could not be looked at', async () => {
  const guard = await guardOnRedis();
  for (let i = 0; i < 10; i++) {
    const attempt = guard('ada', '192.0.2.1', () => Promise.reject(new Error('the store is away')));
    await expect(attempt).rejects.toThrow('the store is away');
  }
  expect(await guard('ada', '192.0.2.1', async () => true)).toBe(true);
});
