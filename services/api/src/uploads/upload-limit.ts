import type { Rate } from '@sluice/shared/config/units.ts';
import type { SharedTotals } from '@sluice/shared/queues/shared-totals.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import { rateHeaders, tooMany } from '../limits/answers.ts';

const synchroniseEveryMs = 200;

/** What is known of an application in the window that is now. */
interface Share {
  /** By all processes, as Redis told last. */
  known: number;
  /** By this process, and not yet told to Redis. */
  own: number;
}

/** Counts entries of an application against its limit. Throws ApiError when there are too many. */
export type Spend = ((applicationId: string, entries: number) => void) | undefined;

export interface UploadLimit {
  /** Counts entries, all or none, and says in headers how many more there may be. Throws ApiError when there are too many. */
  take(applicationId: string, entries: number): Record<string, string>;
  close(): void;
}

/**
 * Limits what each application is sent, in windows of the clock. Nothing waits for Redis: each process counts, and what the others
 * counted it learns in the background; so all together can go over the limit by what arrives meanwhile. While Redis is
 * away each holds the limit by itself.
 */
export function createUploadLimit({ count, durationMs }: Rate, totals: SharedTotals): UploadLimit {
  let window = 0;
  const shares = new Map<string, Share>();

  function shareOf(applicationId: string, now: number): Share {
    const current = Math.floor(now / durationMs);
    if (current !== window) {
      window = current;
      shares.clear();
    }
    const share = shares.get(applicationId) ?? { known: 0, own: 0 };
    shares.set(applicationId, share);
    return share;
  }

  async function synchronise(): Promise<void> {
    const untold = [...shares].flatMap(([id, share]) => (share.own > 0 ? { id, share, by: share.own } : []));
    if (untold.length === 0) return;
    try {
      const keys = untold.map(({ id, by }) => ({ key: `${id}:${window}`, by, keepMs: 2 * durationMs }));
      for (const [i, total] of (await totals.add(keys)).entries()) {
        const { share, by } = untold[i] as (typeof untold)[number];
        share.known = total;
        share.own -= by;
      }
    } catch {
      // Redis is away: it is told what it missed when it is back.
    }
  }

  return {
    take(applicationId, entries) {
      const now = Date.now();
      const share = shareOf(applicationId, now);
      const resetMs = durationMs - (now % durationMs);
      const left = count - share.known - share.own;
      if (entries > left) {
        const message =
          entries > count
            ? `the batch has ${entries} lines, and an application takes ${count} in ${durationMs / 1_000} s; send smaller ones`
            : `the application has got its ${count} entries in ${durationMs / 1_000} s`;
        throw tooMany(`${message}; nothing was stored`, resetMs, rateHeaders(count, left, resetMs));
      }
      share.own += entries;
      return rateHeaders(count, left - entries, resetMs);
    },
    close: repeat(synchroniseEveryMs, synchronise),
  };
}
