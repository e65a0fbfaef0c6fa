import { createRecordFields } from '@sluice/intake/record-fields.ts';
import type { RefusalRecorder } from '@sluice/intake/refusals/recorder.ts';
import { Postpone } from '@sluice/queues/consumer.ts';
import type { JobMetrics } from '@sluice/queues/job-metrics.ts';
import type { JobQueue } from '@sluice/queues/job-queue.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import { LeaseLost, type LeaseTimings, underLease } from '@sluice/shared/lease.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Store } from '@sluice/store/connect.ts';
import { storeFault } from '@sluice/store/faults.ts';
import type { ClaimedChunk } from '@sluice/store/jobs/chunk-records.ts';
import type { ImportJob } from '@sluice/store/jobs/job-records.ts';
import { isUnfinished } from '@sluice/store/jobs/job-records.ts';
import { createCompleteImport } from './complete-import.ts';
import { createProcessChunk, type Processed } from './process-chunk.ts';
import { createReaders } from './readers.ts';
import { Conflict } from './store-lines.ts';

/** Workers that took a chunk and were not heard of again, until its import fails. */
const maxAttempts = 10;

interface Dependencies {
  store: Store;
  compiler: Compiler;
  refusalRecorder: RefusalRecorder;
  queue: Pick<JobQueue, 'moveUp'>;
  retentionMs: number;
  timings: LeaseTimings;
  metrics: JobMetrics;
  log: Logger;
}

/**
 * Does one chunk of the import that is delivered, then goes to the end of the queue, so that imports alternate. Ends when the import has
 * ended. May be called in many processes at once.
 */
export function createImportChunk({
  store,
  compiler,
  refusalRecorder,
  queue,
  retentionMs,
  timings,
  metrics,
  log,
}: Dependencies) {
  const { applications, chunks, entries, milestones, jobs, fields, parts, schemas } = store;
  const { imports } = jobs;
  const { leaseMs } = timings;
  const readerOf = createReaders({ fields, schemas, compiler });
  const processChunk = createProcessChunk({ entries, recordFields: createRecordFields(fields), log });
  const completeImport = createCompleteImport(store, { retentionMs, timings });
  const expiry = () => new Date(Date.now() + retentionMs);

  /** Its chunks and their parts stay, for a retry. */
  async function fail(job: ImportJob, reason: string): Promise<void> {
    if (!(await jobs.fail(job.id, job.fence, { error: reason }, expiry()))) return;
    metrics.failed();
    log.error({ event: 'import.failed', job: job.id, reason });
  }

  async function abandon(job: string): Promise<void> {
    if (await jobs.cancel(job, expiry())) metrics.cancelled();
    await parts.sweep(job);
  }

  async function commit(
    { id, fence, job, part, lines, bytes }: ClaimedChunk,
    done: Processed,
    counted: number,
  ) {
    const { accepted, rejected } = done;
    const report = done.report && { part: await parts.put(job, done.report.data), bytes: done.report.bytes };
    if (!(await chunks.commit(id, fence, { accepted, rejected, ...(report && { report }) })))
      throw new LeaseLost();
    await parts.remove(part);
    await imports.advance(job, { done: lines - counted, accepted, rejected, released: bytes });
  }

  /** Milestones that are above entries to be stored go, and none is set there until the chunk is done. In this order. */
  async function makeRoom({ id, fence, application }: ClaimedChunk, since: number): Promise<void> {
    if (!(await chunks.lower(id, fence, since))) throw new LeaseLost();
    await milestones.removeFrom(application, since);
  }

  async function work(chunk: ClaimedChunk, job: ImportJob, signal: AbortSignal): Promise<void> {
    if (chunk.attempts > maxAttempts)
      throw new Conflict(`${chunk.attempts - 1} workers tried chunk ${chunk.seq} in vain`);
    const application = await applications.byId(job.application);
    if (!application) return abandon(job.id);
    const [reader, data] = await Promise.all([readerOf(job, application), parts.get(chunk.part)]);
    if (!data) {
      if ((await imports.over([job.id])).length > 0) throw new LeaseLost();
      throw new Conflict(`a piece of the file is missing, that of chunk ${chunk.seq}`);
    }
    /** Lines that are done, and how many of them the job knows of. */
    let lines = 0;
    let { counted } = chunk;
    /** The job hears how far the chunk is. False when the chunk is another worker's, or the import has ended. */
    async function renew(): Promise<boolean> {
      const done = Math.max(lines, counted);
      // First what a later worker must know, or lines would be counted twice.
      if (!(await chunks.renew(chunk.id, chunk.fence, done, leaseMs))) return false;
      const advance = { done: done - counted, accepted: 0, rejected: 0, released: 0 };
      counted = done;
      const isWanted = await imports.advance(job.id, advance);
      return isWanted && (await applications.existing([job.application])).has(job.application);
    }
    const processed = await underLease(renew, timings, ({ check }) =>
      processChunk({
        chunk,
        data,
        ...reader,
        check,
        makeRoom: (since) => makeRoom(chunk, since),
        onStep(done) {
          if (signal.aborted) throw new Postpone();
          check();
          lines = done;
        },
      }),
    );
    await commit(chunk, processed, counted);
    processed.refused.noteTo(refusalRecorder, { ...reader.intake, refused: application.refused });
  }

  /** A chunk that ends otherwise than done is free for the next worker. */
  async function doChunk(chunk: ClaimedChunk, job: ImportJob, signal: AbortSignal): Promise<void> {
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
    const job = await jobs.claim('import', id, leaseMs);
    if (!job) throw new LeaseLost();
    try {
      await completeImport(job);
      metrics.completed(job.startedAt ?? job.createdAt);
      log.info({ event: 'import.completed', job: id });
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      await fail(job, error.message);
    }
  }

  return async function importChunk({ jobId }: { jobId: string }, signal: AbortSignal): Promise<void> {
    // Before its chunk: what is claimed after a retry is not failed for what was before it.
    const job = await jobs.get(jobId);
    if (job?.kind !== 'import') return;
    if (!isUnfinished(job)) return queue.moveUp(job.owner);
    const chunk = await chunks.claim(jobId, leaseMs);
    if (chunk) await doChunk(chunk, job, signal);
    else if (await chunks.areDone(jobId)) await complete(jobId);
    // Others have the last chunks: one of them may die.
    else throw new LeaseLost();
    throw new Postpone();
  };
}
