import type { Redis } from 'ioredis';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  type RateLimiterRes,
} from 'rate-limiter-flexible';
import { within } from '../deadline.ts';
import { keyPrefix, type RedisConfig } from './redis.ts';

/** So long Redis is not asked once it did not answer in time, so that a request waits for it once at most. */
const leaveAloneMs = 1_000;

export interface Count {
  count: number;
  /** After so long it is forgotten. */
  resetMs: number;
}

/** Counts by key, each for a while that begins with the first that is counted. */
export interface SharedCounter {
  /** What it is with one more. */
  add(key: string): Promise<Count>;
  get(key: string): Promise<Count | undefined>;
  /** Begins it anew, at 1, to last as long as others or `lasting` seconds. */
  set(key: string, lasting?: number): Promise<void>;
  forget(key: string): Promise<void>;
}

export type SharedCounters = (name: string, seconds: number) => SharedCounter;

/** Counters that all processes share through Redis. While it is away or does not answer, each process counts by itself. */
export function createSharedCounters(redis: Redis, config: RedisConfig): SharedCounters {
  let leaveAloneUntil = 0;

  return function counter(name, seconds) {
    const options = { keyPrefix: `${keyPrefix(config)}:${name}`, points: 1, duration: seconds };
    const shared = new RateLimiterRedis({ ...options, storeClient: redis });
    const own = new RateLimiterMemory(options);

    async function ask<T>(work: (limiter: RateLimiterAbstract) => Promise<T>): Promise<T> {
      if (redis.status === 'ready' && performance.now() >= leaveAloneUntil) {
        try {
          return await within(config.timeoutMs, 'Redis does not answer', work(shared));
        } catch {
          leaveAloneUntil = performance.now() + leaveAloneMs;
        }
      }
      return work(own);
    }

    return {
      add: async (key) => toCount(await ask((limiter) => limiter.penalty(key))),
      async get(key) {
        const found = await ask((limiter) => limiter.get(key));
        return found ? toCount(found) : undefined;
      },
      async set(key, lasting = seconds) {
        await ask((limiter) => limiter.set(key, 1, lasting));
      },
      // Here too, where it may be left from when Redis was away.
      async forget(key) {
        await Promise.all([own.delete(key), ask((limiter) => limiter.delete(key))]);
      },
    };
  };
}

const toCount = ({ consumedPoints, msBeforeNext }: RateLimiterRes): Count => ({
  count: consumedPoints,
  resetMs: msBeforeNext,
});
