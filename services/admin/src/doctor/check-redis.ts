import { inspectRedis, type RedisFacts } from '@sluice/jobs/queue/inspect-redis.ts';
import type { Redis } from '@sluice/jobs/queue/redis.ts';
import { type Checks, clock, type Finding, fail, fullness, ok, warn } from './finding.ts';

/** Checks Redis, but not its contents. */
export function redisChecks(redis: Redis): Checks {
  const facts = inspectRedis(redis);
  const of = (look: (found: RedisFacts) => Finding) => async () => look(await facts);
  return {
    'Redis version': of(version),
    'Redis clock': () => clock(async () => (await inspectRedis(redis)).now),
    'Redis role': of(({ role }) =>
      role === 'master' ? ok(role) : fail(`${role}: it takes no writes, so name the master in REDIS_URL`),
    ),
    'Redis eviction': of(({ evictionPolicy }) =>
      evictionPolicy === 'noeviction'
        ? ok(evictionPolicy)
        : fail(`${evictionPolicy} can remove jobs: set maxmemory-policy to noeviction`),
    ),
    'Redis persistence': of(persistence),
    'Redis memory': of(({ usedMemory: used, maxMemory: total }) =>
      total === 0
        ? ok(`${Math.round(used / 1024 ** 2)} MiB are used, without a limit`)
        : fullness({ used, total }, [0.8, 0.95], 'raise maxmemory, or start more workers'),
    ),
  };
}

function version({ version: found }: RedisFacts): Finding {
  const [product, number = ''] = found.split(' ');
  const [major = 0, minor = 0] = number.split('.').map(Number);
  const isTooOld = product === 'Redis' && (major < 6 || (major === 6 && minor < 2));
  return isTooOld ? fail(`${found} is too old: use Redis 6.2 or later`) : ok(found);
}

function persistence({ isPersistent, isFailing }: RedisFacts): Finding {
  if (isFailing) return fail('Redis cannot write to its disk: look at its log');
  return isPersistent
    ? ok('it keeps its data over a restart')
    : warn('after a restart it is empty, and jobs start again within 10 s: set appendonly to yes');
}
