import { keyPrefix, type Redis, type RedisConfig } from '@sluice/jobs/queue/redis.ts';
import type { Rate } from '@sluice/shared/config/kinds.ts';
import { ApiError, byLimit, tooMany } from '@sluice/shared/errors.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import { LRUCache } from 'lru-cache';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { Sent } from '../known/keyring.ts';
import { rateHeaders, toSeconds } from './rate.ts';

const synchroniseEveryMs = 200;
/** Counts that memory keeps. Redis knows the others. */
const most = 100_000;

/** Entries of an application, or of one of its keys, in a window. */
interface Count {
  id: string;
  /** From the epoch, in windows of `durationMs`. */
  window: number;
  durationMs: number;
  /** Of all processes, by the last answer of Redis. */
  known: number;
  /** Of this process, not yet sent to Redis. */
  own: number;
}

interface Limit {
  of: 'application' | 'key';
  rate: Rate;
  count: Count;
  left: number;
  resetMs: number;
}

export type UploadRates = ReturnType<typeof createUploadRates>;

/**
 * Limits the entries of each application, and of each ingest key that has a rate, in windows of the clock. While Redis is away, each process
 * limits by itself.
 *
 * No upload waits for Redis: processes exchange their counts in the background. What arrives in between can exceed the limit.
 */
export function createUploadRates(ofApplication: Rate | undefined, redis: Redis, config: RedisConfig) {
  const totals = new RateLimiterRedis({
    keyPrefix: `${keyPrefix(config)}:uploads`,
    points: 1,
    // Each count has its own.
    duration: 1,
    storeClient: redis,
    rejectIfRedisNotReady: true,
  });
  const counts = new LRUCache<string, Count>({ max: most });
  const unsent = new Set<Count>();

  function toLimit(of: Limit['of'], id: string, rate: Rate, now: number): Limit {
    const { durationMs } = rate;
    const window = Math.floor(now / durationMs);
    let count = counts.get(id);
    if (count?.window !== window) {
      count = { id, window, durationMs, known: 0, own: 0 };
      counts.set(id, count);
    }
    const left = rate.count - count.known - count.own;
    return { of, rate, count, left, resetMs: durationMs - (now % durationMs) };
  }

  async function synchronise(): Promise<void> {
    const now = Date.now();
    for (const count of unsent) if (count.window < Math.floor(now / count.durationMs)) unsent.delete(count);
    const sending = [...unsent].map(async (count) => {
      const { id, window, durationMs, own } = count;
      const customDuration = Math.ceil((2 * durationMs) / 1_000);
      const { consumedPoints } = await totals.penalty(`${id}:${window}`, own, { customDuration });
      count.known = consumedPoints;
      count.own -= own;
      if (count.own === 0) unsent.delete(count);
    });
    // What Redis did not take is sent the next time, within its window.
    await Promise.allSettled(sending);
  }

  return {
    /**
     * Counts all of the entries or none, for the application and for the key. Returns headers with how many are left by the tighter of the two;
     * undefined without a rate. Throws ApiError when there are too many.
     */
    take(application: string, sent: Sent | undefined, entries: number): Record<string, string> | undefined {
      const ofKey = sent?.rate;
      if (!ofApplication && !ofKey) return undefined;
      const now = Date.now();
      const limits: Limit[] = [];
      if (ofApplication) limits.push(toLimit('application', application, ofApplication, now));
      if (ofKey) limits.push(toLimit('key', sent.id, ofKey, now));
      const tighter = limits.reduce((one, other) => (isTighter(other, one) ? other : one));
      if (entries > tighter.left) throw tooManyEntries(tighter, entries);
      for (const { count } of limits) {
        count.own += entries;
        unsent.add(count);
      }
      return rateHeaders(tighter.rate.count, tighter.left - entries, tighter.resetMs);
    },
    close: repeat(synchroniseEveryMs, synchronise),
  };
}

const isTighter = (one: Limit, other: Limit): boolean =>
  one.left === other.left ? one.resetMs > other.resetMs : one.left < other.left;

const limitNames = { application: 'rate_uploads', key: 'rate_uploadsOfKey' };

function tooManyEntries({ of, rate, left, resetMs }: Limit, entries: number): ApiError {
  const shownRate = `${shown(rate.count)} entries per ${shownWindow(rate.durationMs)}`;
  const headers = rateHeaders(rate.count, left, resetMs);
  // Such a batch never fits: with Retry-After, clients would repeat it for ever.
  if (entries > rate.count) {
    const limit = of === 'key' ? `${shownRate} for this key` : shownRate;
    const message = `the batch has ${shown(entries)} lines; the limit is ${limit}: send smaller batches; nothing was stored`;
    return byLimit(limitNames[of], new ApiError('TooManyRequestsError', message, { headers }));
  }
  const seconds = toSeconds(resetMs);
  const message = `rate limit reached: ${shownRate} for this ${of}; retry in ${seconds} s; nothing was stored`;
  return byLimit(limitNames[of], tooMany(message, seconds, headers));
}

const shown = (count: number) => count.toLocaleString('en');

/** A duration as people say it, such as `minute` or `15 minutes`. */
function shownWindow(ms: number): string {
  const units = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1_000 };
  const [unit, length] = Object.entries(units).find(([, each]) => ms % each === 0) ?? ['ms', 1];
  return ms === length ? unit : `${ms / length} ${unit}s`;
}
