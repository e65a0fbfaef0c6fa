export const jobStates = ['waiting', 'active', 'completed', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];
export const jobKinds = ['export', 'import', 'rehearsal', 'replay', 'deletion'] as const;

export interface Part {
  id: string;
  rows: number;
  /** Of the file, before the compression in the store. */
  bytes: number;
}

/** What a finished job tells about its file. */
export interface Manifest {
  rows: number;
  bytes: number;
  /** In hexadecimal digits. */
  sha256: string;
  /** Names, in the order of the file; of an archive those of its tables in turn. */
  columns?: string[];
  /** Versions of the schema that its columns are for, where there are several. */
  versions?: number[];
  /** Of the first and of the last entry in the file. */
  firstCreatedAt?: Date | undefined;
  lastCreatedAt?: Date | undefined;
}

/** What every job has on record. */
export interface Job {
  id: string;
  application: string;
  /** Id of the user. */
  owner: string;
  domain: string;
  state: JobState;
  /** Counts the workers that took the job; only the last of them may write. */
  fence: number;
  /** Workers that took the job since it last moved. */
  attempts: number;
  done: number;
  total: number;
  /** Entries a second, of late. */
  rate?: number;
  /** Where the rate is measured from. */
  mark?: { at: Date; done: number };
  bytes: number;
  createdAt: Date;
  startedAt?: Date;
  finishedAt?: Date;
  error?: string;
  /** It failed by a fault of ours, not by what was asked for. */
  isDefect?: boolean;
  manifest?: Manifest;
  /** Since when it waits for a worker. */
  queuedAt: Date;
  /** A worker has it until then, and longer if it says so; or the API, while the file of an import arrives. */
  leaseUntil?: Date;
  /** When the record and its parts go. */
  expiresAt?: Date;
}
