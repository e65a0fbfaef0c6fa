import type { Store } from '@sluice/jobs/connect.ts';
import { Postpone } from '@sluice/jobs/queue/consumer.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { EntryId } from '@sluice/store/entries/entry-id.ts';

/** Entries deleted by one command. */
const batch = 2_000;
const jobsAtOnce = 100;

interface Dependencies {
  store: Store;
  /**
   * How long after a deletion uploads may still arrive: the age of the caches plus the time limit of an insert.
   * Until then the purge is repeated.
   */
  graceMs: number;
  log: Logger;
}

/** Removes all that a deleted application left, in bounded steps. May run twice, or stop halfway, without harm. */
export function createPurge({
  store: { applications, entries, jobs, chunks, parts, removeRest },
  graceMs,
  log,
}: Dependencies) {
  async function purgeEntries(id: string, signal: AbortSignal, moved: () => void): Promise<number> {
    let purged = 0;
    for (let from: EntryId | undefined; ; ) {
      if (signal.aborted) throw new Postpone();
      const { deleted, next } = await entries.purge(id, batch, from);
      purged += deleted;
      moved();
      if (deleted === 0 && !from) return purged;
      from = next;
    }
  }

  async function purgeJobs(id: string): Promise<void> {
    for (;;) {
      const found = await jobs.ofApplication(id, jobsAtOnce);
      if (found.length === 0) return;
      for (const job of found) {
        await jobs.remove(job);
        await chunks.remove(job);
        await parts.sweep(job);
      }
    }
  }

  return async function purge(
    { applicationId }: { applicationId: string },
    signal: AbortSignal,
    moved = () => {},
  ): Promise<void> {
    await applications.beginPurge(applicationId);
    // Its age before the first look: what comes while this one goes on is for the next.
    const tombstone = await applications.tombstone(applicationId, graceMs);
    if (!tombstone) return;
    const isLast = tombstone.isOlder;
    const purged = await purgeEntries(applicationId, signal, moved);
    await purgeJobs(applicationId);
    // After its entries, for where there are some a worker may still set a milestone.
    await removeRest(applicationId);
    if (isLast) await applications.markPurged(applicationId);
    log.info({
      event: isLast ? 'purge.completed' : 'purge.passed',
      application: applicationId,
      entries: purged,
    });
    if (!isLast) throw new Postpone(graceMs);
  };
}
