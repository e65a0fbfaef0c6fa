import { randomBytes } from 'node:crypto';
import { connectRedis } from '@sluice/jobs/queue/redis.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { inject, onTestFinished } from 'vitest';
import { until } from './sluice.ts';

/** A prefix of its own in the Redis of the tests, and a connection that is closed when the test ends. */
export async function ownRedis() {
  const config = {
    url: inject('redisUrl'),
    prefix: `test_${randomBytes(6).toString('hex')}`,
    timeoutMs: 30_000,
  };
  const log = createLogger('test', { level: 'silent', pretty: false });
  const redis = connectRedis(config, log, 'impatient');
  onTestFinished(() => redis.disconnect());
  await until(async () => redis.status === 'ready');
  return { config, log, redis };
}
