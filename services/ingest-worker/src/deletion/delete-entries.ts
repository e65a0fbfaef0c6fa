import { Postpone } from '@sluice/queues/consumer.ts';
import type { JobMetrics } from '@sluice/queues/job-metrics.ts';
import type { JobQueue } from '@sluice/queues/job-queue.ts';
import { LeaseLost, type LeaseTimings, underLease } from '@sluice/shared/lease.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Store } from '@sluice/store/connect.ts';
import { selectionOf } from '@sluice/store/entries/entry-filter.ts';
import { storeFault } from '@sluice/store/faults.ts';
import { type DeletionJob, isUnfinished } from '@sluice/store/jobs/job-records.ts';
import type { JobSession } from '@sluice/store/jobs/job-sessions.ts';

/** Entries deleted by one transaction. */
const batch = 1_000;
/** Workers that took a job and were not heard of again, until it fails. */
const maxAttempts = 10;

interface Dependencies {
  store: Pick<Store, 'applications' | 'entries' | 'deletions' | 'jobs'>;
  queue: Pick<JobQueue, 'moveUp'>;
  retentionMs: number;
  timings: LeaseTimings;
  metrics: JobMetrics;
  log: Logger;
}

/** Does the deletion that is delivered. May run twice, or die halfway: a job goes on with what is left, and counts each entry once. */
export function createDeleteEntries({ store, queue, retentionMs, timings, metrics, log }: Dependencies) {
  const { applications, entries, deletions, jobs } = store;
  const expiry = () => new Date(Date.now() + retentionMs);

  /** For the progress alone, so nothing waits for it, and its failure is not the deletion's. */
  async function count(job: DeletionJob, selection: Parameters<typeof entries.count>[1]): Promise<void> {
    try {
      await jobs.setTotal(job.id, job.done + (await entries.count(job.application, selection)));
    } catch (error) {
      log.debug({ event: 'deletion.uncounted', job: job.id, reason: (error as Error).message });
    }
  }

  async function deleteAll(job: DeletionJob, check: () => void, signal: AbortSignal): Promise<number> {
    const { session, end } = await jobs.openSession(job);
    try {
      return await deleteIn(session, job, check, signal);
    } finally {
      await end();
    }
  }

  async function deleteIn(
    session: JobSession['session'],
    job: DeletionJob,
    check: () => void,
    signal: AbortSignal,
  ): Promise<number> {
    const { id, fence, application, options } = job;
    const selection = selectionOf(options);
    let { done } = job;
    void count(job, selection);
    for await (const stretch of entries.stretches(application, selection, batch)) {
      check();
      if (signal.aborted) throw new Postpone();
      if (!stretch) continue;
      done += await deletions.remove(application, stretch, {
        session,
        async before() {
          if (!(await jobs.renew(id, fence, timings.leaseMs, session))) throw new LeaseLost();
        },
        after: (_, deleted) => jobs.advance(id, deleted, session),
      });
    }
    return done;
  }

  async function make(job: DeletionJob, signal: AbortSignal, moved: () => void): Promise<void> {
    const { id, fence } = job;
    if (job.attempts > maxAttempts) {
      const error = `${maxAttempts} workers tried without success`;
      if (await jobs.fail(id, fence, { error, isDefect: true }, expiry())) metrics.failed();
      log.error({ event: 'deletion.failed', job: id, reason: error });
      return;
    }
    if (!(await applications.byId(job.application))) {
      if (await jobs.cancel(id, expiry())) metrics.cancelled();
      return;
    }
    const renew = () => jobs.renew(id, fence, timings.leaseMs);
    const deleted = await underLease(renew, timings, (lease) => {
      function check(): void {
        lease.check();
        moved();
      }
      return deleteAll(job, check, signal);
    });
    if (!(await jobs.complete(id, fence, undefined, expiry(), { result: { deleted } })))
      throw new LeaseLost();
    metrics.completed(job.startedAt ?? job.createdAt);
    log.info({ event: 'deletion.completed', job: id, deleted });
  }

  /** A job that ends otherwise than done is free for the next worker. */
  async function release({ id, fence }: DeletionJob, error: unknown): Promise<never> {
    const isLost = error instanceof LeaseLost || storeFault(error) !== undefined;
    const releasing = jobs.release(id, fence, !isLost && !(error instanceof Postpone));
    // Not waited for where MongoDB may be away. Where this fails too, the lease ends.
    if (isLost) releasing.catch(() => undefined);
    else await releasing;
    throw error;
  }

  return async function deleteEntries(
    { jobId }: { jobId: string },
    signal: AbortSignal,
    moved: () => void,
  ): Promise<void> {
    await jobs.unlock(jobId);
    const job = await jobs.claim('deletion', jobId, timings.leaseMs);
    if (job) await make(job, signal, moved).catch((error) => release(job, error));
    const seen = job ?? (await jobs.get(jobId));
    if (!job && isUnfinished(seen)) throw new LeaseLost();
    if (seen) await queue.moveUp(seen.owner);
  };
}
