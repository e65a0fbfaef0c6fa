import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import type { Store } from './connect.ts';
import { createJoinReports } from './join-reports.ts';
import { ApplicationDeleted, claimJob, type End, type JobKind, type Piece, type Turn } from './kind.ts';
import type { ChunkResult, ClaimedChunk, ClaimedRange } from './record/chunk-records.ts';
import type { ChunkedJob } from './record/job-records.ts';
import type { JobResult } from './record/jobs.ts';

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
  /** Gets what it takes to do a chunk. Throws JobFailed. */
  prepare(chunk: Chunk, job: Job, application: ApplicationRecord): Promise<(steps: Steps) => Promise<Done>>;
  /** What the record of a completed job has besides its file, of which each refused line is a row. */
  result(job: Job): Promise<JobResult & { rejected: number }>;
}

type Stores = Pick<Store, 'applications' | 'chunks' | 'jobs' | 'parts'>;

/** Jobs whose pieces are chunks, which several workers do at once; then one of them makes a file of their reports. */
export function inChunks<Job extends ChunkedJob, Chunk extends ClaimedChunk | ClaimedRange>(
  store: Stores,
  leaseMs: number,
  { kind, claim, prepare, result }: ChunkTask<Job, Chunk>,
): JobKind<Job> {
  const { applications, chunks, jobs, parts } = store;
  const { chunked } = jobs;
  const joinReports = createJoinReports(store);

  async function commit({ id, fence, job }: Chunk, { report, settle, ...done }: Done, counted: number) {
    const stored = report && { part: await parts.put(job, report.data), bytes: report.bytes };
    if (!(await chunks.commit(id, fence, { ...done, ...(stored && { report: stored }) })))
      throw new LeaseLost();
    const released = (await settle?.()) ?? 0;
    const { lines, accepted, rejected } = done;
    await chunked.advance(job, { done: lines - counted, accepted, rejected, released });
  }

  function toPiece(chunk: Chunk, job: Job): Piece<Job> {
    const { id, fence, attempts } = chunk;
    /** Lines that are done, and how many of them the job knows of. */
    let lines = 0;
    let { counted } = chunk;

    async function work({ check, checkLease }: Turn): Promise<undefined> {
      const application = await applications.byId(job.application);
      if (!application) throw new ApplicationDeleted();
      const process = await prepare(chunk, job, application);
      const onStep = (done: number) => {
        check();
        lines = done;
      };
      await commit(chunk, await process({ check: checkLease, onStep }), counted);
    }

    return {
      ...{ job, attempts, isJob: false, work },
      release: (counts) => chunks.release(id, fence, counts),

      /** The job hears how far the chunk is. */
      async renew() {
        const done = Math.max(lines, counted);
        // First what a later worker must know, or lines would be counted twice.
        if (!(await chunks.renew(id, fence, done, leaseMs))) return false;
        const advance = { done: done - counted, accepted: 0, rejected: 0, released: 0 };
        counted = done;
        const isWanted = await chunked.advance(job.id, advance);
        return isWanted && (await applications.existing([job.application])).has(job.application);
      },
    };
  }

  async function makeFile(job: Job, { checkLease }: Turn): Promise<End> {
    const { sha256, ...file } = await joinReports(job.id, checkLease);
    const ended = await result(job);
    return { manifest: { rows: ended.rejected, bytes: file.bytes, sha256 }, result: { ...ended, ...file } };
  }

  return {
    kind,

    async next(job) {
      const chunk = await claim(job.id, leaseMs);
      if (chunk) return toPiece(chunk, job);
      // Others have the last chunks: one of them may die.
      return (await chunks.areDone(job.id)) ? claimJob(jobs, job, leaseMs, makeFile) : undefined;
    },

    async onEnd(jobId, state) {
      if (state === 'completed') await chunks.remove(jobId);
    },
  };
}
