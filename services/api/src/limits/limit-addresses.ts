import type { Rate } from '@sluice/shared/config/units.ts';
import type { SharedCounters } from '@sluice/shared/queues/shared-counters.ts';
import type { onRequestAsyncHookHandler } from 'fastify';
import { addressKey } from './address-key.ts';
import { rateHeaders, tooMany } from './answers.ts';

/** Hooks that let each address ask so often, and say how often it still may; none where there is no limit. */
export function limitAddresses(
  counters: SharedCounters,
  rate: Rate | undefined,
  what: 'registrations' | 'logins',
): onRequestAsyncHookHandler[] {
  if (!rate) return [];
  const asked = counters(what, rate.durationMs / 1_000);
  return [
    async ({ ip }, reply) => {
      const { count, resetMs } = await asked.add(addressKey(ip));
      const headers = rateHeaders(rate.count, rate.count - count, resetMs);
      reply.headers(headers);
      if (count > rate.count) {
        const message = `too many ${what} from this address; wait ${headers['ratelimit-reset']} s`;
        throw tooMany(message, resetMs);
      }
    },
  ];
}
