import type { Logger } from '@sluice/shared/logger.ts';
import type { WebhookEvent } from '@sluice/shared/webhook-events.ts';
import { storeFault } from '@sluice/store/faults.ts';
import { type Lease, LeaseLost, type LeaseTimings, underLease } from '@sluice/store/under-lease.ts';
import type { Store } from './connect.ts';
import {
  ApplicationDeleted,
  type JobEnd,
  JobFailed,
  type JobKind,
  type JobPiece,
  maxAttempts,
  type Turn,
} from './kind.ts';
import { type Handler, Postpone } from './queue/consumer.ts';
import type { JobMetrics } from './queue/monitor.ts';
import type { JobQueue } from './queue/producer.ts';
import type { Timings } from './queue/queues.ts';
import { isEnding, isRetriable, isUnfinished, type JobRecord } from './record/job-records.ts';

const endEvents: Partial<Record<JobRecord['kind'], WebhookEvent[]>> = {
  export: ['export.completed', 'export.failed'],
  import: ['import.completed', 'import.failed'],
  archive: ['archive.completed', 'archive.failed'],
};

export interface JobDependencies {
  store: Pick<Store, 'jobs' | 'parts' | 'webhooks'>;
  queue: Pick<JobQueue, 'moveUp' | 'isOutweighed'>;
  retentionMs: number;
  timings: LeaseTimings & Pick<Timings, 'turnMs'>;
  metrics: JobMetrics;
  log: Logger;
}

/**
 * Makes the handler for a kind. A delivery does one piece of a job. The delivery of the last piece also ends the job.
 *
 * Safe in many processes at once, and if any of them dies.
 */
export function createRun<Job extends JobRecord>(
  { store: { jobs, parts, webhooks }, queue, retentionMs, timings, metrics, log }: JobDependencies,
  { kind, next, takeEnd, keptMs, onEnd }: JobKind<Job>,
): Handler<{ jobId: string }> {
  const expiryOf = (job: Job) => new Date(Date.now() + (keptMs?.(job) ?? retentionMs));

  function turnOf(job: Job, checkLease: () => void, signal: AbortSignal): Turn {
    let lookedAt = performance.now();
    return {
      signal,
      checkLease,
      check() {
        if (signal.aborted) throw new Postpone();
        checkLease();
      },
      async giveWay() {
        if (performance.now() - lookedAt < timings.turnMs) return;
        if (await queue.isOutweighed(job.owner)) throw new Postpone();
        lookedAt = performance.now();
      },
    };
  }

  async function work({ job, ...piece }: JobPiece<Job>, signal: AbortSignal, moved: () => void) {
    async function attempt({ check }: Lease) {
      const checkLease = () => {
        check();
        moved();
      };
      const turn = turnOf(job, checkLease, signal);
      try {
        if (piece.attempts > maxAttempts)
          throw new JobFailed(`${maxAttempts} workers tried without success`, { isDefect: true });
        return await piece.work(turn);
      } catch (error) {
        if (!(error instanceof JobFailed) || !piece.giveUp) throw error;
        await piece.giveUp(error, expiryOf(job), turn);
        return undefined;
      }
    }

    let working: ReturnType<typeof attempt> | undefined;
    try {
      return await underLease(piece.renew, timings, (lease) => {
        working = attempt(lease);
        return working;
      });
    } catch (error) {
      // It may still store a part, which belongs to no file.
      if (error instanceof LeaseLost)
        void Promise.allSettled([working])
          .then(() => cleanUp(job.id))
          .catch(() => undefined);
      throw error;
    }
  }

  /** Ends a job that was cancelled, or failed, before all its pieces were done. */
  async function settle(id: string): Promise<void> {
    const settled = await jobs.chunked.settle(id);
    if (!settled) throw new LeaseLost();
    if (settled.state === 'failed') noteFailure(id, settled.error);
    else noteCancelled(id);
  }

  function noteFailure(id: string, reason: string | undefined): void {
    metrics.failed();
    log.error({ event: `${kind}.failed`, job: id, reason });
  }

  function noteCancelled(id: string): void {
    metrics.cancelled();
    log.info({ event: `${kind}.cancelled`, job: id });
  }

  async function complete(job: Job, { manifest, result, isKept }: JobEnd): Promise<void> {
    if (isEnding(job)) return settle(job.id);
    const expiresAt = isKept ? undefined : expiryOf(job);
    if (!(await jobs.complete(job.id, job.fence, manifest, expiresAt, result))) throw new LeaseLost();
    metrics.completed(job.startedAt ?? job.createdAt);
    log.info({ event: `${kind}.completed`, job: job.id, ...(manifest && { rows: manifest.rows }) });
  }

  async function fail(job: Job, { message, isDefect }: JobFailed): Promise<void> {
    if (await jobs.fail(job.id, job.fence, { error: message, isDefect }, expiryOf(job)))
      noteFailure(job.id, message);
  }

  /** Of a deleted application. */
  async function cancel(job: Job): Promise<void> {
    const ended = await jobs.cancel(job.id, expiryOf(job));
    if (ended === 'ended') noteCancelled(job.id);
    // The next delivery does the pieces that were begun.
    if (ended === 'ending') throw new LeaseLost();
  }

  /** Removes parts that belong to no file, once the job has ended. A failed job keeps its parts for a retry, until it expires. */
  async function cleanUp(id: string): Promise<void> {
    const job = await jobs.get(id);
    if (isUnfinished(job)) return;
    await onEnd?.(id, job?.state);
    if (job && isRetriable(job)) return;
    const kept = job?.state === 'completed' ? await jobs.partsOf(id) : [];
    await parts.sweep(
      id,
      kept.map((part) => part.id),
    );
  }

  /** Frees an unfinished piece for the next worker. */
  async function release({ job, isJob, release }: JobPiece<Job>, error: unknown): Promise<void> {
    if (error instanceof LeaseLost || storeFault(error) !== undefined) {
      if (isJob) log.info({ event: `${kind}.lost`, job: job.id, fence: job.fence });
      // Not awaited, because MongoDB may be away. If it fails, the lease ends by itself.
      release(false).catch(() => undefined);
      // If the job ended long ago, this worker may have written parts since.
      if (error instanceof LeaseLost) await cleanUp(job.id);
      return;
    }
    await release(!(error instanceof Postpone));
    if (isJob) await queue.moveUp(job);
  }

  /** Resolves with whether the job has ended. */
  async function doPiece(piece: JobPiece<Job>, signal: AbortSignal, moved: () => void): Promise<boolean> {
    const { job } = piece;
    try {
      const end = await work(piece, signal, moved);
      if (end) await complete(job, end);
      return end !== undefined;
    } catch (error) {
      if (!(error instanceof JobFailed)) {
        await release(piece, error);
        throw error;
      }
      await fail(job, error);
      await piece.release(true);
      return true;
    }
  }

  /** Resolves with whether the job has ended. */
  async function doNext(job: Job, signal: AbortSignal, moved: () => void): Promise<boolean> {
    try {
      const piece = await next(job);
      if (!piece) throw new LeaseLost();
      if (await doPiece(piece, signal, moved)) return true;
      const end = signal.aborted ? undefined : await takeEnd?.(job);
      return end !== undefined && (await doPiece(end, signal, moved));
    } catch (error) {
      if (!(error instanceof ApplicationDeleted)) throw error;
      await cancel(job);
      return true;
    }
  }

  return async function run({ jobId }, signal, moved) {
    const job = (await jobs.get(jobId)) as Job | undefined;
    if (job && isUnfinished(job) && !(await doNext(job, signal, moved))) throw new Postpone();
    await cleanUp(jobId);
    if (!job) return;
    const events = endEvents[kind];
    if (events) await webhooks.noteEvents(events, [job.application]);
    await queue.moveUp(job);
  };
}
