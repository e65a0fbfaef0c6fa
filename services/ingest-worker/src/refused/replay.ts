import { setImmediate as breathe } from 'node:timers/promises';
import type { Intake } from '@sluice/intake/intake.ts';
import { createLoadIntake } from '@sluice/intake/intake.ts';
import { createRecordFields } from '@sluice/intake/record-fields.ts';
import { type Amendments, readAmendments } from '@sluice/intake/refusals/amendments.ts';
import { Postpone } from '@sluice/queues/consumer.ts';
import type { JobMetrics } from '@sluice/queues/job-metrics.ts';
import type { JobQueue } from '@sluice/queues/job-queue.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import type { ReplayResult } from '@sluice/shared/contracts/jobs.ts';
import { LeaseLost, type LeaseTimings, underLease } from '@sluice/shared/lease.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Store } from '@sluice/store/connect.ts';
import { storeFault } from '@sluice/store/faults.ts';
import { isUnfinished, type ReplayJob } from '@sluice/store/jobs/job-records.ts';
import type { JobSession } from '@sluice/store/jobs/job-sessions.ts';
import type { RefusedRecord } from '@sluice/store/refused/refused-records.ts';
import { type ReplayedBatch, UploadsGone } from '@sluice/store/refused/replays.ts';
import { judge } from './judge.ts';

/** Workers that took a job and were not heard of again, until it fails. */
const maxAttempts = 10;
/** After so long other work of the process goes on. */
const stepMs = 5;
/** After so long it is looked whether other owners wait. */
const turnMs = 2_000;
/** What one transaction stores, and one more upload. */
const mostBytes = 1024 ** 2;

interface Dependencies {
  store: Pick<Store, 'applications' | 'fields' | 'jobs' | 'replays'>;
  compiler: Compiler;
  queue: Pick<JobQueue, 'moveUp'>;
  retentionMs: number;
  timings: LeaseTimings;
  metrics: JobMetrics;
  log: Logger;
}

/** The application is deleted. */
class Deleted extends Error {}

/** Does the replay that is delivered. May run twice, or die halfway: a batch of uploads becomes entries as a whole, or not at all. */
export function createReplay({ store, compiler, queue, retentionMs, timings, metrics, log }: Dependencies) {
  const { applications, fields, jobs, replays } = store;
  const loadIntake = createLoadIntake({ fields, compiler });
  const recordFields = createRecordFields(fields);
  const expiry = () => new Date(Date.now() + retentionMs);

  /** For the version that is in force now. */
  async function refresh(job: ReplayJob, known: Intake | undefined): Promise<Intake> {
    const application = await applications.byId(job.application);
    if (!application) throw new Deleted();
    return known?.version === application.version ? known : loadIntake(application);
  }

  async function judgeAll(
    uploads: RefusedRecord[],
    intake: Intake,
    amendments: Amendments,
  ): Promise<ReplayedBatch> {
    const batch: ReplayedBatch = { last: '', count: 0, stored: [], refused: [] };
    const found = new Set<string>();
    let bytes = 0;
    let began = performance.now();
    for (const [at, upload] of uploads.entries()) {
      const judged = await judge(upload, intake, amendments);
      if (judged.kind === 'refused') batch.refused.push(judged.reason);
      if (judged.kind === 'conforming') {
        for (const field of recordFields.find(intake, judged.payload)) found.add(field);
        batch.stored.push({ id: upload.id, entry: judged.entry });
        bytes += judged.entry.json.length;
      }
      Object.assign(batch, { last: upload.id, count: at + 1 });
      // What is changed may have grown.
      if (bytes > mostBytes) break;
      if (performance.now() - began < stepMs) continue;
      await breathe();
      began = performance.now();
    }
    await recordFields.record(intake, found);
    return batch;
  }

  async function replayAll(job: ReplayJob, check: () => void, signal: AbortSignal): Promise<ReplayResult> {
    const { session, end } = await jobs.openSession(job);
    try {
      return await replayIn(session, job, check, signal);
    } finally {
      await end();
    }
  }

  async function replayIn(
    session: JobSession['session'],
    job: ReplayJob,
    check: () => void,
    signal: AbortSignal,
  ): Promise<ReplayResult> {
    const amendments = readAmendments(job.options);
    let { after } = job;
    const result = { stored: 0, still_refused: 0, ...job.result };
    let intake: Intake | undefined;
    let began = performance.now();
    for (;;) {
      check();
      if (signal.aborted) throw new Postpone();
      if (performance.now() - began > turnMs) {
        if (await jobs.isOutweighed('replay', job.owner)) throw new Postpone();
        began = performance.now();
      }
      const uploads = await replays.next({ ...job, after });
      if (uploads.length === 0) return result;
      intake = await refresh(job, intake);
      const batch = await judgeAll(uploads, intake, amendments);
      check();
      try {
        if (!(await replays.commit(session, job, batch))) throw new LeaseLost();
        after = batch.last;
        result.stored += batch.stored.length;
        result.still_refused += batch.count - batch.stored.length;
      } catch (error) {
        if (!(error instanceof UploadsGone)) throw error;
      }
    }
  }

  async function make(job: ReplayJob, signal: AbortSignal, moved: () => void): Promise<void> {
    const { id, fence } = job;
    if (job.attempts > maxAttempts) {
      const error = `${maxAttempts} workers tried without success`;
      if (await jobs.fail(id, fence, { error, isDefect: true }, expiry())) metrics.failed();
      log.error({ event: 'replay.failed', job: id, reason: error });
      return;
    }
    const renew = () => jobs.renew(id, fence, timings.leaseMs);
    const result = await underLease(renew, timings, (lease) => {
      function check(): void {
        lease.check();
        moved();
      }
      return replayAll(job, check, signal);
    });
    if (!(await jobs.complete(id, fence, undefined, expiry(), { result }))) throw new LeaseLost();
    metrics.completed(job.startedAt ?? job.createdAt);
    log.info({ event: 'replay.completed', job: id, ...result });
  }

  /** A job that ends otherwise than done is free for the next worker. */
  async function release({ id, fence }: ReplayJob, error: unknown): Promise<void> {
    if (error instanceof Deleted) {
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

  return async function replay(
    { jobId }: { jobId: string },
    signal: AbortSignal,
    moved: () => void,
  ): Promise<void> {
    await jobs.unlock(jobId);
    const job = await jobs.claim('replay', jobId, timings.leaseMs);
    if (job) await make(job, signal, moved).catch((error) => release(job, error));
    const seen = job ?? (await jobs.get(jobId));
    if (!job && isUnfinished(seen)) throw new LeaseLost();
    if (seen) await queue.moveUp(seen.owner);
  };
}
