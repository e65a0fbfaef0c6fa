import type { Store } from '@sluice/jobs/connect.ts';
import { Postpone } from '@sluice/jobs/queue/consumer.ts';
import type { JobMetrics } from '@sluice/jobs/queue/job-metrics.ts';
import type { JobQueue } from '@sluice/jobs/queue/job-queue.ts';
import type { ChunkResult, ClaimedChunk, ClaimedRange } from '@sluice/jobs/record/chunk-records.ts';
import { type ChunkedJob, isUnfinished } from '@sluice/jobs/record/job-records.ts';
import { LeaseLost, type LeaseTimings, underLease } from '@sluice/shared/lease.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { storeFault } from '@sluice/store/faults.ts';
import { createCompleteJob, type JobResult } from './complete-job.ts';
import { Conflict } from './conflict.ts';

/** Workers that took a chunk and were not heard of again, until its job fails. */
const maxAttempts = 10;

export interface Steps {
  /** Throws when nothing may be stored any more. */
  check(): void;
  /** To be called after each step, with the lines done so far; throws when the chunk is to be left as it is. */
  onStep(lines: number): void;
}

export interface Done extends Omit<ChunkResult, 'report'> {
  lines: number;
  report: { data: Buffer; bytes: number } | undefined;
  /** Called once this counts; returns the bytes that the job no longer holds. */
  settle?(): Promise<number>;
}

/** What is done with the chunks of a kind of jobs. */
export interface ChunkTask<Job extends ChunkedJob, Chunk extends ClaimedChunk | ClaimedRange> {
  kind: Job['kind'];
  claim(job: string, leaseMs: number): Promise<Chunk | undefined>;
  /** Gets what it takes to do a chunk. Throws Conflict. */
  prepare(chunk: Chunk, job: Job, application: ApplicationRecord): Promise<(steps: Steps) => Promise<Done>>;
  /** What the record of a completed job has besides its file. */
  result(job: Job): Promise<JobResult>;
}

/** What jobs of a kind need. */
export interface Jobs {
  store: Store;
  queue: Pick<JobQueue, 'moveUp'>;
  retentionMs: number;
  timings: LeaseTimings;
  metrics: JobMetrics;
  log: Logger;
}

/**
 * Does one chunk of the job that is delivered, then goes to the end of the queue, so that jobs alternate. Ends when the job has
 * ended. May be called in many processes at once.
 */
export function createDoChunks<Job extends ChunkedJob, Chunk extends ClaimedChunk | ClaimedRange>(
  { store, queue, retentionMs, timings, metrics, log }: Jobs,
  { kind, claim, prepare, result }: ChunkTask<Job, Chunk>,
) {
  const { applications, chunks, jobs, parts } = store;
  const { chunked } = jobs;
  const { leaseMs } = timings;
  const completeJob = createCompleteJob(store, { retentionMs, timings });
  const expiry = () => new Date(Date.now() + retentionMs);

  /** Its chunks and their parts stay, for a retry. */
  async function fail(job: ChunkedJob, reason: string): Promise<void> {
    if (!(await jobs.fail(job.id, job.fence, { error: reason }, expiry()))) return;
    metrics.failed();
    log.error({ event: `${kind}.failed`, job: job.id, reason });
  }

  async function abandon(job: string): Promise<void> {
    if (await jobs.cancel(job, expiry())) metrics.cancelled();
    await parts.sweep(job);
  }

  async function commit(chunk: Chunk, { report, settle, ...done }: Done, counted: number): Promise<void> {
    const { id, fence, job } = chunk;
    const stored = report && { part: await parts.put(job, report.data), bytes: report.bytes };
    if (!(await chunks.commit(id, fence, { ...done, ...(stored && { report: stored }) })))
      throw new LeaseLost();
    const released = (await settle?.()) ?? 0;
    const { lines, accepted, rejected } = done;
    await chunked.advance(job, { done: lines - counted, accepted, rejected, released });
  }

  async function work(chunk: Chunk, job: Job, signal: AbortSignal): Promise<void> {
    if (chunk.attempts > maxAttempts)
      throw new Conflict(`${chunk.attempts - 1} workers tried chunk ${chunk.seq} in vain`);
    const application = await applications.byId(job.application);
    if (!application) return abandon(job.id);
    const process = await prepare(chunk, job, application);
    /** Lines that are done, and how many of them the job knows of. */
    let lines = 0;
    let { counted } = chunk;
    /** The job hears how far the chunk is. False when the chunk is another worker's, or the job has ended. */
    async function renew(): Promise<boolean> {
      const done = Math.max(lines, counted);
      // First what a later worker must know, or lines would be counted twice.
      if (!(await chunks.renew(chunk.id, chunk.fence, done, leaseMs))) return false;
      const advance = { done: done - counted, accepted: 0, rejected: 0, released: 0 };
      counted = done;
      const isWanted = await chunked.advance(job.id, advance);
      return isWanted && (await applications.existing([job.application])).has(job.application);
    }
    const processed = await underLease(renew, timings, ({ check }) =>
      process({
        check,
        onStep(done) {
          if (signal.aborted) throw new Postpone();
          check();
          lines = done;
        },
      }),
    );
    await commit(chunk, processed, counted);
  }

  /** A chunk that ends otherwise than done is free for the next worker. */
  async function doChunk(chunk: Chunk, job: Job, signal: AbortSignal): Promise<void> {
    const { id, fence } = chunk;
    try {
      await work(chunk, job, signal);
    } catch (error) {
      if (error instanceof LeaseLost || storeFault(error)) {
        // Not waited for: MongoDB may be away. Where this fails too, the lease ends.
        chunks.release(id, fence, false).catch(() => undefined);
        throw error;
      }
      if (error instanceof Conflict) await fail(job, error.message);
      await chunks.release(id, fence, !(error instanceof Postpone));
      if (!(error instanceof Conflict)) throw error;
    }
  }

  async function complete(id: string): Promise<void> {
    const job = (await jobs.claim(kind, id, leaseMs)) as Job | undefined;
    if (!job) throw new LeaseLost();
    try {
      await completeJob(job, () => result(job));
      metrics.completed(job.startedAt ?? job.createdAt);
      log.info({ event: `${kind}.completed`, job: id });
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      await fail(job, error.message);
    }
  }

  return async function doChunks({ jobId }: { jobId: string }, signal: AbortSignal): Promise<void> {
    // Before its chunk: what is claimed after a retry is not failed for what was before it.
    const job = await jobs.get(jobId);
    if (job?.kind !== kind) return;
    if (!isUnfinished(job)) return queue.moveUp(job);
    const chunk = await claim(jobId, leaseMs);
    if (chunk) await doChunk(chunk, job as Job, signal);
    else if (await chunks.areDone(jobId)) await complete(jobId);
    // Others have the last chunks: one of them may die.
    else throw new LeaseLost();
    throw new Postpone();
  };
}
