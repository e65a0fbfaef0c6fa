import { isIPv6 } from 'node:net';
import { keyPrefix, type Redis, type RedisConfig } from '@sluice/jobs/queue/redis.ts';
import type { Rate } from '@sluice/shared/config/kinds.ts';
import { ApiError, byLimit, tooMany } from '@sluice/shared/errors.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import type { onRequestAsyncHookHandler } from 'fastify';
import ipaddr from 'ipaddr.js';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { rates } from './table.ts';

/** Counts by key. The window of a key begins with its first request. */
export type Counter = Pick<RateLimiterAbstract, 'penalty' | 'get' | 'set' | 'delete'>;
export type Counters = (name: string, seconds: number) => Counter;

const synchroniseEveryMs = 200;

/**
 * Counters that all processes share through Redis. While Redis does not answer, each process counts by itself.
 *
 * Only one request waits for REDIS_TIMEOUT: the connection is closed then.
 */
export function createCounters(redis: Redis, config: RedisConfig): Counters {
  return (name, seconds) => {
    const options = { keyPrefix: `${keyPrefix(config)}:${name}`, points: 1, duration: seconds };
    return new RateLimiterRedis({
      ...options,
      storeClient: redis,
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory(options),
    });
  };
}

/** Headers of every answer of a limited route. */
const rateHeaders = (limit: number, remaining: number, resetMs: number): Record<string, string> => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(Math.max(0, remaining)),
  'ratelimit-reset': String(toSeconds(resetMs)),
});

/** Whole seconds, at least one, for a header or a message. */
export const toSeconds = (ms: number) => Math.max(1, Math.ceil(ms / 1_000));

const shown = (count: number) => count.toLocaleString('en');

/** A duration as people say it, such as `minute` or `15 minutes`. */
function shownWindow(ms: number): string {
  const units = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1_000 };
  const [unit, length] = Object.entries(units).find(([, each]) => ms % each === 0) ?? ['ms', 1];
  return ms === length ? unit : `${ms / length} ${unit}s`;
}

/**
 * One client: an IPv4 address, or the /64 of an IPv6 address, the least that a subscriber gets. Other text, which a proxy
 * may send, counts as it is.
 */
export function addressKey(address: string): string {
  // Undefined once the client has left.
  const plain = (address ?? '').split('%')[0] as string;
  if (!isIPv6(plain)) return plain.slice(0, 64);
  const parsed = ipaddr.process(plain);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}

/** Hooks that limit the requests of each address, and say in headers how many are left; none without a rate. */
export function limitAddresses(
  counters: Counters,
  rate: Rate | undefined,
  name: 'registrations' | 'logins',
): onRequestAsyncHookHandler[] {
  if (!rate) return [];
  const { what } = rates[name];
  const asked = counters(name, rate.durationMs / 1_000);
  return [
    async ({ ip }, reply) => {
      const { consumedPoints, msBeforeNext } = await asked.penalty(addressKey(ip));
      reply.headers(rateHeaders(rate.count, rate.count - consumedPoints, msBeforeNext));
      if (consumedPoints <= rate.count) return;
      const seconds = toSeconds(msBeforeNext);
      throw byLimit(
        `rate_${name}`,
        tooMany(`too many ${what} from this address; wait ${seconds} s`, seconds),
      );
    },
  ];
}

/** Entries of an application in the current window. */
interface Uploaded {
  /** Of all processes, by the last answer of Redis. */
  known: number;
  /** Of this process, not yet sent to Redis. */
  own: number;
}

export type UploadRate = ReturnType<typeof createUploadRate>;

/**
 * Limits the entries of each application, in windows of the clock. While Redis is away, each process limits by itself.
 *
 * No upload waits for Redis: processes exchange their counts in the background. What arrives in between can exceed the limit.
 */
export function createUploadRate({ count, durationMs }: Rate, redis: Redis, config: RedisConfig) {
  const totals = new RateLimiterRedis({
    keyPrefix: `${keyPrefix(config)}:uploads`,
    points: count,
    duration: Math.ceil((2 * durationMs) / 1_000),
    storeClient: redis,
    rejectIfRedisNotReady: true,
  });
  const rate = `${shown(count)} entries per ${shownWindow(durationMs)}`;
  let window = 0;
  const applications = new Map<string, Uploaded>();

  function uploadedTo(applicationId: string, now: number): Uploaded {
    const current = Math.floor(now / durationMs);
    if (current !== window) {
      window = current;
      applications.clear();
    }
    const uploaded = applications.get(applicationId) ?? { known: 0, own: 0 };
    applications.set(applicationId, uploaded);
    return uploaded;
  }

  async function synchronise(): Promise<void> {
    const unsent = [...applications].filter(([, { own }]) => own > 0);
    const sending = unsent.map(async ([id, uploaded]) => {
      const { own } = uploaded;
      const { consumedPoints } = await totals.penalty(`${id}:${window}`, own);
      uploaded.known = consumedPoints;
      uploaded.own -= own;
    });
    // What Redis did not take is sent the next time.
    await Promise.allSettled(sending);
  }

  return {
    /** Counts all of the entries or none. Returns headers with how many are left. Throws ApiError when there are too many. */
    take(applicationId: string, entries: number): Record<string, string> {
      const now = Date.now();
      const uploaded = uploadedTo(applicationId, now);
      const resetMs = durationMs - (now % durationMs);
      const left = count - uploaded.known - uploaded.own;
      if (entries > left) {
        const headers = rateHeaders(count, left, resetMs);
        // Such a batch never fits: with Retry-After, clients would repeat it for ever.
        if (entries > count) {
          const message = `the batch has ${shown(entries)} lines; the limit is ${rate}: send smaller batches; nothing was stored`;
          throw byLimit('rate_uploads', new ApiError('TooManyRequestsError', message, { headers }));
        }
        const seconds = toSeconds(resetMs);
        const message = `rate limit reached: ${rate} for this application; retry in ${seconds} s; nothing was stored`;
        throw byLimit('rate_uploads', tooMany(message, seconds, headers));
      }
      uploaded.own += entries;
      return rateHeaders(count, left - entries, resetMs);
    },
    close: repeat(synchroniseEveryMs, synchronise),
  };
}
