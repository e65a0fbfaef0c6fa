export const jobStates = ['waiting', 'active', 'completed', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];
export const jobKinds = [
  'export',
  'import',
  'rehearsal',
  'replay',
  'deletion',
  'erasure',
  'unique',
  'archive',
  'verification',
] as const;

export interface Part {
  id: string;
  rows: number;
  /** Size before compression. */
  bytes: number;
}

/** Describes the file of a completed job. */
export interface Manifest {
  rows: number;
  bytes: number;
  /** In hexadecimal digits. */
  sha256: string;
  /** Names in the order of the file, or of the tables in an archive. */
  columns?: string[];
  /** Versions of the schema, if there are several. */
  versions?: number[];
  firstCreatedAt?: Date | undefined;
  lastCreatedAt?: Date | undefined;
}

export interface Job {
  id: string;
  application: string;
  /** Id of the user. */
  owner: string;
  domain: string;
  state: JobState;
  /** Counts the claims; only the last worker may write. */
  fence: number;
  /** Claims since the last progress. */
  attempts: number;
  done: number;
  total: number;
  /** Entries per second, recently. */
  rate?: number;
  /** Start of the measurement of the rate. */
  mark?: { at: Date; done: number };
  bytes: number;
  createdAt: Date;
  startedAt?: Date;
  finishedAt?: Date;
  error?: string;
  /** The cause is a fault of Sluice, not the request. */
  isDefect?: boolean;
  manifest?: Manifest;
  /** When the job was last enqueued. */
  queuedAt: Date;
  /** End of the lease of a worker, or of the API while a file arrives. */
  leaseUntil?: Date;
  /** When the record and its parts are removed. */
  expiresAt?: Date;
}
