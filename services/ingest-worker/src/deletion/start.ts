import type { Store } from '@sluice/jobs/connect.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import { createExpireEntries } from './expire-entries.ts';

const everyMs = 60_000;
/** Milestones of an application that a count has to correct; more are corrected in the store. */
const mostScattered = 100;

/** Deletes expired entries, and follows up deletions, as long as the worker runs, beside its jobs. Returns how to stop, before the store is closed. */
export function startExpiring(store: Store, auditRetentionMs: number, log: Logger): () => void {
  const stopping = new AbortController();
  const expireEntries = createExpireEntries({ store, auditRetentionMs, log });
  const missed = (event: string) => (error: Error) => log.warn({ event, reason: error.message });

  async function fold(): Promise<void> {
    for (const application of await store.deletions.scattered(mostScattered))
      await store.deletions.fold(application);
  }

  const stopFolding = repeat(everyMs, () => fold().catch(missed('fold.missed')));
  const stopExpiring = repeat(everyMs, () => expireEntries(stopping.signal).catch(missed('expiry.missed')));
  return () => {
    stopping.abort();
    stopFolding();
    stopExpiring();
  };
}
