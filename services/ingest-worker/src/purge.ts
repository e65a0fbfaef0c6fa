import type { Store } from '@sluice/jobs/connect.ts';
import { Postpone } from '@sluice/jobs/queue/consumer.ts';
import type { Logger } from '@sluice/shared/logger.ts';

/** Entries deleted by one command. */
const batch = 2_000;
const jobsAtOnce = 100;

interface Dependencies {
  store: Store;
  /**
   * How late an upload may arrive after a deletion: the age of caches plus the time limit of an insert.
   * Until then the purge repeats.
   */
  graceMs: number;
  log: Logger;
}

/** Removes all data of a deleted application, in bounded steps. May run twice, or stop halfway, without harm. */
export function createPurge({
  store: { applications, entries, jobs, chunks, parts, removeRest },
  graceMs,
  log,
}: Dependencies) {
  async function purgeEntries(id: string, signal: AbortSignal, moved: () => void): Promise<number> {
    let purged = 0;
    for (let before = -1; purged > before; ) {
      before = purged;
      for await (const deleted of entries.purge(id, batch)) {
        purged += deleted;
        moved();
        if (signal.aborted) throw new Postpone();
      }
    }
    return purged;
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
    // The age is read first: the next pass removes uploads that arrive during this pass.
    const tombstone = await applications.tombstone(applicationId, graceMs);
    if (!tombstone) return;
    const isLast = tombstone.isOlder;
    const purged = await purgeEntries(applicationId, signal, moved);
    await purgeJobs(applicationId);
    // Last, since a worker may set milestones while there are entries.
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
