import { isIPv6 } from 'node:net';
import { keyPrefix, type Redis, type RedisConfig } from '@sluice/jobs/queue/redis.ts';
import type { Rate } from '@sluice/shared/config/kinds.ts';
import { byLimit, tooMany } from '@sluice/shared/errors.ts';
import type { onRequestAsyncHookHandler } from 'fastify';
import ipaddr from 'ipaddr.js';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { rates } from './table.ts';

/** Counts by key. The window of a key begins with its first request. */
export type Counter = Pick<RateLimiterAbstract, 'penalty' | 'get' | 'set' | 'delete'>;
export type Counters = (name: string, seconds: number) => Counter;

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
export const rateHeaders = (limit: number, remaining: number, resetMs: number): Record<string, string> => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(Math.max(0, remaining)),
  'ratelimit-reset': String(toSeconds(resetMs)),
});

/** Whole seconds, at least one, for a header or a message. */
export const toSeconds = (ms: number) => Math.max(1, Math.ceil(ms / 1_000));

/**
 * One client: an IPv4 address, or the /64 of an IPv6 address, the least that a subscriber gets. Other text, which a proxy
 * may send, counts as it is.
 */
export function addressKey(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain.slice(0, 64);
  const parsed = ipaddr.process(plain);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}

/** An address without its zone; empty once the client has left. */
export const plainAddress = (address: string | undefined): string => (address ?? '').split('%')[0] as string;

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
