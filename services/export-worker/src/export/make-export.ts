import type { Store } from '@sluice/jobs/connect.ts';
import { Postpone } from '@sluice/jobs/queue/consumer.ts';
import type { JobMetrics } from '@sluice/jobs/queue/job-metrics.ts';
import type { JobQueue } from '@sluice/jobs/queue/job-queue.ts';
import type { ExportJob } from '@sluice/jobs/record/export-record.ts';
import { isRetriable, isUnfinished } from '@sluice/jobs/record/job-records.ts';
import { LeaseLost, type LeaseTimings, underLease } from '@sluice/shared/lease.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { storeFault } from '@sluice/store/faults.ts';
import { Defect, Unexportable } from '../formats/unexportable.ts';
import type { Claim } from './claim.ts';
import { createFileHashes } from './file-hashes.ts';
import { createWriteFile, Deleted } from './write-file.ts';

/** Workers that took a job without committing a part, until it fails. */
const maxAttempts = 10;
/** A streamed file is of no use once its client has it. */
const transientKeptMs = 15 * 60_000;

interface Dependencies {
  store: Store;
  queue: Pick<JobQueue, 'moveUp'>;
  retentionMs: number;
  timings: LeaseTimings;
  metrics: JobMetrics;
  log: Logger;
}

/** Makes the export that is delivered. May run twice, or die halfway: a job goes on after its last committed part. */
export function createMakeExport({ store, queue, retentionMs, timings, metrics, log }: Dependencies) {
  const { jobs, parts } = store;
  const hashes = createFileHashes(store);
  const writeFile = createWriteFile({ store, hashes, log });
  const expiry = (job: ExportJob) => new Date(Date.now() + (job.transient ? transientKeptMs : retentionMs));

  /**
   * Removes what is no part of a file. While the job is not over for good a worker may store a part that is yet to
   * count; one that failed keeps what it has, for a retry, until it expires.
   */
  async function removeUnused(id: string): Promise<void> {
    const job = await jobs.get(id);
    if (isUnfinished(job)) return;
    hashes.drop(id);
    if (job && isRetriable(job)) return;
    const kept = job?.state === 'completed' ? await jobs.partsOf(id) : [];
    await parts.sweep(
      id,
      kept.map((part) => part.id),
    );
  }

  async function write(job: ExportJob, claim: Claim) {
    try {
      return await writeFile(job, claim);
    } catch (error) {
      // Also behind the end of the job, which may have been long ago.
      if (error instanceof LeaseLost) await removeUnused(job.id);
      throw error;
    }
  }

  async function make(job: ExportJob, signal: AbortSignal, moved: () => void): Promise<void> {
    const { id, fence } = job;
    if (job.attempts > maxAttempts) throw new Defect(`${maxAttempts} workers tried without success`);
    const renew = () => jobs.renew(id, fence, timings.leaseMs);
    const manifest = await underLease(renew, timings, (lease) => {
      /** Before each page that is read. */
      function check(): void {
        lease.check();
        moved();
      }
      return write(job, { lease: { check }, signal });
    });
    if (manifest === 'unfinished') throw new Postpone();
    if (!(await jobs.complete(id, fence, manifest, expiry(job)))) throw new LeaseLost();
    metrics.completed(job.startedAt ?? job.createdAt);
    log.info({ event: 'export.completed', job: id, rows: manifest.rows });
  }

  /** What a file that was not completed means for its job. */
  async function handle(error: unknown, job: ExportJob): Promise<void> {
    const { id, fence } = job;
    if (error instanceof LeaseLost || storeFault(error)) {
      log.info({ event: 'export.lost', job: id, fence });
      // Not waited for: MongoDB may be away. Where this fails too, the lease ends.
      jobs.release(id, fence, false).catch(() => undefined);
      throw error;
    }
    if (error instanceof Deleted) {
      if (await jobs.cancel(id, expiry(job))) metrics.cancelled();
    } else if (error instanceof Unexportable) {
      const failure = { error: error.message, isDefect: error instanceof Defect };
      if (await jobs.fail(id, fence, failure, expiry(job))) metrics.failed();
      log.error({ event: 'export.failed', job: id, reason: error.message });
    } else {
      const isPaused = error instanceof Postpone;
      if (isPaused) log.info({ event: 'export.paused', job: id });
      await jobs.release(id, fence, !isPaused);
      await queue.moveUp(job);
      throw error;
    }
  }

  return async function makeExport(
    { jobId }: { jobId: string },
    signal: AbortSignal,
    moved: () => void,
  ): Promise<void> {
    const job = await jobs.claim('export', jobId, timings.leaseMs);
    const seen = job ?? (await jobs.get(jobId));
    if (job) {
      log.info({ event: 'export.began', job: jobId, fence: job.fence, done: job.done });
      await make(job, signal, moved).catch((error) => handle(error, job));
    } else if (isUnfinished(seen)) throw new LeaseLost();
    await removeUnused(jobId);
    if (seen) await queue.moveUp(seen);
  };
}
