import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import type { Store } from './connect.ts';
import {
  ApplicationDeleted,
  claimJob,
  type End,
  JobFailed,
  type JobKind,
  type Piece,
  type Turn,
} from './kind.ts';
import type { ChunkResult, ClaimedChunk, ClaimedRange } from './record/chunk-records.ts';
import type { Part } from './record/job.ts';
import type { ChunkedJob } from './record/job-records.ts';
import type { JobResult } from './record/jobs.ts';

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
  /** Fields for the record of the completed job. Each refused line is a row of the job's file. */
  result(job: Job): Promise<JobResult & { rejected: number }>;
}

type Stores = Pick<Store, 'applications' | 'chunks' | 'jobs' | 'parts'>;

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
  { kind, claim, load, process, result }: ChunkTask<Job, Chunk, Loaded>,
): JobKind<Job> {
  const { applications, chunks, jobs, parts } = store;
  const { chunked } = jobs;
  const joinReports = createJoinReports(store);
  const loadOnce = oncePerJob<Loaded>();

  function toPiece(chunk: Chunk, job: Job): Piece<Job> {
    const { id, fence, attempts } = chunk;
    /** Finished lines; `counted` is how many of them the job's progress has. */
    let lines = 0;
    let { counted } = chunk;
    /** Whether its result is stored: then the chunk needs no lease. */
    let isCommitted = false;

    async function work({ check, checkLease }: Turn): Promise<undefined> {
      const application = await applications.byId(job.application);
      if (!application) throw new ApplicationDeleted();
      const loaded = await loadOnce(job.id, () => load(job, application));
      const onStep = (done: number) => {
        check();
        lines = done;
      };
      const steps = { check: checkLease, onStep };
      const { report, afterCommit, ...done } = await process(chunk, { job, application, loaded }, steps);
      const stored = report && { part: await parts.put(job.id, report.data), bytes: report.bytes };
      isCommitted = await chunks.commit(id, fence, { ...done, ...(stored && { report: stored }) });
      if (!isCommitted) throw new LeaseLost();
      const released = (await afterCommit?.()) ?? 0;
      const { accepted, rejected } = done;
      await chunked.advance(job.id, { done: done.lines - counted, accepted, rejected, released });
    }

    return {
      ...{ job, attempts, isJob: false, work },
      release: (counts) => chunks.release(id, fence, counts),

      /** Also adds the finished lines to the job's progress. */
      async renew() {
        if (isCommitted) return true;
        const done = Math.max(lines, counted);
        // The chunk first: otherwise a later worker would count lines twice.
        if (!(await chunks.renew(id, fence, done, leaseMs))) return isCommitted;
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

  const takeEnd = async (job: Job) =>
    (await chunks.areDone(job.id)) ? claimJob(jobs, job, leaseMs, makeFile) : undefined;

  return {
    kind,
    takeEnd,

    async next(job) {
      const chunk = await claim(job.id, leaseMs);
      // Undefined: other workers have the last chunks, and one of them may die.
      return chunk ? toPiece(chunk, job) : takeEnd(job);
    },

    async onEnd(jobId, state) {
      if (state === 'completed') await chunks.remove(jobId);
    },
  };
}

const decompress = promisify(zstdDecompress);
const compress = promisify(zstdCompress);
/** Reports are joined into parts of at most this size, to keep the list of parts short. */
const partBytes = 4 * 1024 ** 2;

interface Report {
  part: string;
  rows: number;
  text: Buffer;
}

/** Joins the reports of all chunks into one file. Calls `check` after each part. */
function createJoinReports({ chunks, parts }: Pick<Store, 'chunks' | 'parts'>) {
  async function join(job: string, reports: Report[]): Promise<Part> {
    const [only] = reports;
    const text = Buffer.concat(reports.map((report) => report.text));
    const rows = reports.reduce((sum, report) => sum + report.rows, 0);
    const isOne = reports.length === 1 && only;
    return { id: isOne ? only.part : await parts.put(job, await compress(text)), rows, bytes: text.length };
  }

  /** The decompressed reports, a list for each part. */
  async function* listsOf(job: string): AsyncGenerator<Report[]> {
    let list: Report[] = [];
    let size = 0;
    for await (const { part, rows, bytes } of chunks.reports(job)) {
      const data = await parts.get(part);
      if (!data) throw new JobFailed('a piece of the report is missing');
      if (size > 0 && size + bytes > partBytes) {
        yield list;
        list = [];
        size = 0;
      }
      list.push({ part, rows, text: await decompress(data, { chunkSize: 256 * 1024 }) });
      size += bytes;
    }
    if (size > 0) yield list;
  }

  return async (
    job: string,
    check: () => void,
  ): Promise<{ parts: Part[]; bytes: number; sha256: string }> => {
    const hash = createHash('sha256');
    const joined: Part[] = [];
    for await (const list of listsOf(job)) {
      for (const { text } of list) hash.update(text);
      joined.push(await join(job, list));
      check();
    }
    const bytes = joined.reduce((sum, part) => sum + part.bytes, 0);
    return { parts: joined, bytes, sha256: hash.digest('hex') };
  };
}
