import type { Store } from '@sluice/jobs/connect.ts';
import {
  ApplicationDeleted,
  claimJob,
  type JobEnd,
  JobFailed,
  type JobKind,
  type JobPiece,
  maxAttempts,
  type Turn,
} from '@sluice/jobs/kind.ts';
import type { ChunkResult, ClaimedChunk, ClaimedRange } from '@sluice/jobs/record/chunk-records.ts';
import { type ChunkedJob, isEnding } from '@sluice/jobs/record/job-records.ts';
import type { JobResult } from '@sluice/jobs/record/jobs.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { createJoinReports } from './join-reports.ts';

export interface Steps {
  /** Throws LeaseLost: from then on the worker may store nothing. */
  check(): void;
  /** Call after each step with the number of finished lines. Throws when the worker must stop. */
  onStep(lines: number): void;
}

interface Given<Job, Loaded> {
  job: Job;
  application: ApplicationRecord;
  loaded: Loaded;
}

export interface Done extends Omit<ChunkResult, 'report'> {
  lines: number;
  report: { data: Buffer; bytes: number } | undefined;
  /** Returns the bytes that the job no longer holds. */
  afterCommit?(): Promise<number>;
}

/** How a kind of job does its chunks. */
export interface ChunkTask<Job extends ChunkedJob, Chunk extends ClaimedChunk | ClaimedRange, Loaded> {
  kind: Job['kind'];
  claim(job: string, leaseMs: number): Promise<Chunk | undefined>;
  /** Loads what all chunks of a job need. Throws JobFailed. */
  load(job: Job, application: ApplicationRecord): Promise<Loaded>;
  process(chunk: Chunk, given: Given<Job, Loaded>, steps: Steps): Promise<Done>;
  /** How many lines of a chunk that cannot be finished are stored; absent: the kind stores nothing. */
  countStored?(chunk: Chunk, given: Given<Job, Loaded>, steps: Steps): Promise<number>;
  /** Fields for the record of the completed job. Each refused line is a row of the job's file. */
  result(job: Job): Promise<JobResult & { rejected: number }>;
}

type Stores = Pick<Store, 'applications' | 'chunks' | 'jobs' | 'parts'>;

/** Attempts to count the stored lines of a chunk. After them the chunk counts as 0. */
const mostCounts = 3;

/** Jobs for which `load` is kept. */
const mostLoaded = 20;

/** Loads once per job, and keeps the latest jobs. */
function oncePerJob<Value>() {
  const values = new Map<string, Promise<Value>>();

  return (job: string, load: () => Promise<Value>): Promise<Value> => {
    const known = values.get(job);
    if (known) return known;
    const value = load();
    value.catch(() => values.delete(job));
    values.set(job, value);
    const [oldest] = values.keys();
    if (values.size > mostLoaded && oldest !== undefined) values.delete(oldest);
    return value;
  };
}

/** A kind whose pieces are chunks. Several workers do chunks at once; then one worker joins the reports into the job's file. */
export function inChunks<Job extends ChunkedJob, Chunk extends ClaimedChunk | ClaimedRange, Loaded>(
  store: Stores,
  leaseMs: number,
  { kind, claim, load, process, countStored, result }: ChunkTask<Job, Chunk, Loaded>,
): JobKind<Job> {
  const { applications, chunks, jobs, parts } = store;
  const { chunked } = jobs;
  const joinReports = createJoinReports(store);
  const loadOnce = oncePerJob<Loaded>();

  /** Undefined: the application was purged. */
  async function applicationOf(job: Job): Promise<ApplicationRecord | undefined> {
    const application = await applications.byId(job.application);
    if (application || !isEnding(job)) return application;
    // A restored application shows the counts of its jobs.
    return (await applications.byIds([job.application], 'restorable'))[0];
  }

  function toPiece(chunk: Chunk, job: Job, application: ApplicationRecord): JobPiece<Job> {
    const { id, fence, attempts } = chunk;
    /** Finished lines; `counted` is how many of them the job's progress has. */
    let lines = 0;
    let { counted } = chunk;
    /** Whether its result is stored: then the chunk needs no lease. */
    let isCommitted = false;

    async function given(): Promise<Given<Job, Loaded>> {
      return { job, application, loaded: await loadOnce(job.id, () => load(job, application)) };
    }

    async function work({ check, checkLease }: Turn): Promise<undefined> {
      const onStep = (done: number) => {
        check();
        lines = done;
      };
      const steps = { check: checkLease, onStep };
      const { report, afterCommit, ...done } = await process(chunk, await given(), steps);
      const stored = report && { part: await parts.put(job.id, report.data), bytes: report.bytes };
      isCommitted = await chunks.commit(id, fence, { ...done, ...(stored && { report: stored }) });
      if (!isCommitted) throw new LeaseLost();
      const released = (await afterCommit?.()) ?? 0;
      const { accepted, rejected } = done;
      await chunked.advance(job.id, { done: done.lines - counted, accepted, rejected, released });
    }

    /** 0 if nobody can read the chunk. */
    async function count(steps: Steps): Promise<number> {
      if (!countStored || attempts > maxAttempts + mostCounts) return 0;
      try {
        return await countStored(chunk, await given(), steps);
      } catch (error) {
        if (error instanceof JobFailed) return 0;
        throw error;
      }
    }

    async function giveUp(
      { message, isDefect }: JobFailed,
      expiresAt: Date,
      { check, checkLease }: Turn,
    ): Promise<void> {
      // First the job's end: otherwise it could complete without this chunk.
      if (!(await jobs.fail(job.id, job.fence, { error: message, isDefect }, expiresAt)))
        throw new LeaseLost();
      const accepted = await count({ check: checkLease, onStep: check });
      isCommitted = await chunks.giveUp(id, fence, accepted);
      if (!isCommitted) throw new LeaseLost();
    }

    return {
      job,
      attempts,
      isJob: false,
      work,
      giveUp,
      release: (counts) => chunks.release(id, fence, counts),

      /** Also adds the finished lines to the job's progress. */
      async renew() {
        if (isCommitted) return true;
        const done = Math.max(lines, counted);
        // The chunk first: otherwise a later worker would count lines twice.
        if (!(await chunks.renew(id, fence, done, leaseMs))) return isCommitted;
        const advance = { done: done - counted, accepted: 0, rejected: 0, released: 0 };
        counted = done;
        return chunked.advance(job.id, advance);
      },
    };
  }

  async function makeFile(job: Job, { checkLease }: Turn): Promise<JobEnd> {
    if (isEnding(job)) return {};
    const { sha256, ...file } = await joinReports(job.id, checkLease);
    const ended = await result(job);
    return { manifest: { rows: ended.rejected, bytes: file.bytes, sha256 }, result: { ...ended, ...file } };
  }

  const takeEnd = async (job: Job) =>
    (await chunks.areDone(job.id)) ? claimJob(jobs, job, leaseMs, makeFile) : undefined;

  return {
    kind,
    takeEnd,

    async next(job) {
      const application = await applicationOf(job);
      if (!application) throw new ApplicationDeleted();
      // The process that was to do so may have died.
      if (isEnding(job)) await chunks.leave(job.id);
      const chunk = await claim(job.id, leaseMs);
      // Undefined: other workers have the last chunks, and one of them may die.
      return chunk ? toPiece(chunk, job, application) : takeEnd(job);
    },

    async onEnd(jobId, state) {
      if (state === 'completed') await chunks.remove(jobId);
    },
  };
}
