import type { Store } from '@sluice/jobs/connect.ts';
import { Postpone } from '@sluice/jobs/queue/consumer.ts';
import type { JobMetrics } from '@sluice/jobs/queue/job-metrics.ts';
import type { JobQueue } from '@sluice/jobs/queue/job-queue.ts';
import type { Timings } from '@sluice/jobs/queue/timings.ts';
import { type DeletionJob, isUnfinished, type ReplayJob } from '@sluice/jobs/record/job-records.ts';
import type { JobSession } from '@sluice/jobs/record/job-sessions.ts';
import { LeaseLost, type LeaseTimings, underLease } from '@sluice/shared/lease.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { storeFault } from '@sluice/store/faults.ts';

/** Workers that took a job and were not heard of again, until it fails. */
const maxAttempts = 10;

/** The application of the job is deleted. */
export class ApplicationDeleted extends Error {}

export interface TransactionJobs {
  store: Pick<Store, 'jobs'>;
  queue: Pick<JobQueue, 'moveUp' | 'isOutweighed'>;
  retentionMs: number;
  timings: LeaseTimings & Pick<Timings, 'turnMs'>;
  metrics: JobMetrics;
  log: Logger;
}

export interface Turn {
  session: JobSession['session'];
  /** Call between two transactions. Throws when this worker is to stop. */
  check(): void;
  /** Call behind a transaction. Rejects when the job is to be handed back: an owner waits for whom less is under way. */
  giveWay(): Promise<void>;
}

type TransactionJob = ReplayJob | DeletionJob;

/**
 * Does the jobs of a kind that change what is stored in transactions, each of them with the job's progress: a job may be begun
 * again, or its worker die, and it goes on behind the last one. `work` resolves with what becomes the job's result, and throws
 * ApplicationDeleted, which cancels the job.
 */
export function createDoJob<Job extends TransactionJob>(
  kind: Job['kind'],
  { store: { jobs }, queue, retentionMs, timings, metrics, log }: TransactionJobs,
  work: (job: Job, turn: Turn) => Promise<NonNullable<Job['result']>>,
) {
  const expiry = () => new Date(Date.now() + retentionMs);

  async function make(job: Job, signal: AbortSignal, moved: () => void): Promise<void> {
    const { id, fence } = job;
    if (job.attempts > maxAttempts) {
      const error = `${maxAttempts} workers tried without success`;
      if (await jobs.fail(id, fence, { error, isDefect: true }, expiry())) metrics.failed();
      log.error({ event: `${kind}.failed`, job: id, reason: error });
      return;
    }
    const renew = () => jobs.renew(id, fence, timings.leaseMs);
    let lookedAt = performance.now();
    async function giveWay(): Promise<void> {
      if (performance.now() - lookedAt < timings.turnMs) return;
      if (await queue.isOutweighed(job.owner)) throw new Postpone();
      lookedAt = performance.now();
    }
    const result = await underLease(renew, timings, async (lease) => {
      function check(): void {
        lease.check();
        moved();
        if (signal.aborted) throw new Postpone();
      }
      const { session, end } = await jobs.openSession(job);
      return work(job, { session, check, giveWay }).finally(end);
    });
    if (!(await jobs.complete(id, fence, undefined, expiry(), { result }))) throw new LeaseLost();
    metrics.completed(job.startedAt ?? job.createdAt);
    log.info({ event: `${kind}.completed`, job: id, ...result });
  }

  /** A job that ends otherwise than done is free for the next worker. */
  async function release({ id, fence }: TransactionJob, error: unknown): Promise<void> {
    if (error instanceof ApplicationDeleted) {
      if (await jobs.cancel(id, expiry())) metrics.cancelled();
      return;
    }
    const isLost = error instanceof LeaseLost || storeFault(error) !== undefined;
    const releasing = jobs.release(id, fence, !isLost && !(error instanceof Postpone));
    // Not waited for where MongoDB may be away. Where this fails too, the lease ends.
    if (isLost) releasing.catch(() => undefined);
    else await releasing;
    throw error;
  }

  return async function doJob(
    { jobId }: { jobId: string },
    signal: AbortSignal,
    moved: () => void,
  ): Promise<void> {
    await jobs.unlock(jobId);
    const job = (await jobs.claim(kind, jobId, timings.leaseMs)) as Job | undefined;
    if (job) await make(job, signal, moved).catch((error) => release(job, error));
    const seen = job ?? (await jobs.get(jobId));
    if (!job && isUnfinished(seen)) throw new LeaseLost();
    if (seen) await queue.moveUp(seen);
  };
}
