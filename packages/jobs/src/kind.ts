import type { Logger } from '@sluice/shared/logger.ts';
import type { Store } from './connect.ts';
import type { JobState, Manifest } from './record/job.ts';
import type { JobRecord } from './record/job-records.ts';
import type { JobSession } from './record/job-sessions.ts';
import type { JobResult } from './record/jobs.ts';

/** Workers that took a piece without progress, until its job fails. */
export const maxAttempts = 10;

/** The job cannot be done; the message is for its owner. `isDefect`: the fault is ours. */
export class JobFailed extends Error {
  readonly isDefect: boolean;

  constructor(message: string, { isDefect = false } = {}) {
    super(message);
    this.isDefect = isDefect;
  }
}

export class ApplicationDeleted extends Error {}

/** How a kind tells the engine about its progress. */
export interface Turn {
  /** Call between two steps. Throws LeaseLost. */
  checkLease(): void;
  /** The same; also throws Postpone when the process is to stop. */
  check(): void;
  /** Aborted when the process is to stop. */
  signal: AbortSignal;
  /** Call after a commit. Throws Postpone when an owner with fewer running jobs waits. */
  giveWay(): Promise<void>;
}

export interface JobEnd {
  manifest?: Manifest;
  result?: JobResult;
  /** The record never expires. */
  isKept?: boolean;
}

/** The unit of work under one lease: a whole job or one chunk. */
export interface JobPiece<Job extends JobRecord> {
  /** The record at the moment when the worker took the piece. */
  job: Job;
  /** Whether the piece is the job itself. */
  isJob: boolean;
  /** Workers that took the piece without progress, with this one. */
  attempts: number;
  /** False when the lease is lost, or nobody wants the job any more. */
  renew(): Promise<boolean>;
  /** `counts`: whether the attempt counts towards the limit of attempts. */
  release(counts: boolean): Promise<void>;
  /**
   * Does the piece and commits it. Another worker may repeat the work after any step.
   * Resolves with the end of the job; undefined: more pieces are left. Throws JobFailed and ApplicationDeleted.
   */
  work(turn: Turn): Promise<JobEnd | undefined>;
  /** Fails the job of a chunk that cannot be finished, and counts the lines that the chunk stored. */
  giveUp?(failure: JobFailed, expiresAt: Date, turn: Turn): Promise<void>;
}

/** One kind of job: how to take its next piece, and how to do it. */
export interface JobKind<Job extends JobRecord> {
  kind: Job['kind'];
  /** Takes the next piece of an unfinished job. Undefined if other workers have all remaining pieces. Throws ApplicationDeleted. */
  next(job: Job): Promise<JobPiece<Job> | undefined>;
  /** Takes the end of a job whose pieces are all done, so that other owners' jobs do not delay it. Undefined if there is nothing to take. */
  takeEnd?(job: Job): Promise<JobPiece<Job> | undefined>;
  /** How long a job that has ended is kept, in ms; absent: as the settings say. */
  keptMs?(job: Job): number;
  /** Removes what a job leaves besides parts. Called again and again; `state` is absent where the record is gone. */
  onEnd?(jobId: string, state: JobState | undefined): Promise<void>;
}

export type SessionTurn = Turn & Pick<JobSession, 'session'>;

type Jobs = Pick<Store, 'jobs'>['jobs'];

/** Counts for the progress only: nothing waits for the count, and the count may fail. */
export async function countTotal(
  jobs: Jobs,
  { id, kind }: Pick<JobRecord, 'id' | 'kind'>,
  count: () => Promise<number>,
  log: Logger,
): Promise<void> {
  try {
    await jobs.setTotal(id, await count());
  } catch (error) {
    log.debug({ event: `${kind}.uncounted`, job: id, reason: (error as Error).message });
  }
}

/** Takes a job as one piece. */
export async function claimJob<Job extends JobRecord>(
  jobs: Jobs,
  { kind, id }: Pick<Job, 'kind' | 'id'>,
  leaseMs: number,
  work: (job: Job, turn: Turn) => Promise<JobEnd>,
): Promise<JobPiece<Job> | undefined> {
  const job = (await jobs.claim(kind, id, leaseMs)) as Job | undefined;
  return job && wholeJob(jobs, job, leaseMs, work);
}

/** A job that this worker has claimed, as one piece. */
export function wholeJob<Job extends JobRecord>(
  jobs: Jobs,
  job: Job,
  leaseMs: number,
  work: (job: Job, turn: Turn) => Promise<JobEnd | undefined>,
): JobPiece<Job> {
  const { id, fence, attempts } = job;
  return {
    job,
    attempts,
    isJob: true,
    renew: () => jobs.renew(id, fence, leaseMs),
    release: (counts) => jobs.release(id, fence, counts),
    work: (turn) => work(job, turn),
  };
}

/** Takes a job as one piece with a session for its transactions. Ends the session of a dead worker first. */
export async function claimInSession<Job extends JobRecord>(
  jobs: Jobs,
  named: Pick<Job, 'kind' | 'id'>,
  leaseMs: number,
  work: (job: Job, turn: SessionTurn) => Promise<JobEnd>,
): Promise<JobPiece<Job> | undefined> {
  await jobs.unlock(named.id);
  return claimJob<Job>(jobs, named, leaseMs, async (job, turn) => {
    const { session, end } = await jobs.openSession(job);
    return work(job, { ...turn, session }).finally(end);
  });
}
