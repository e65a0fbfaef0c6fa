import type { EntryId } from '@sluice/store/entries/entry-id.ts';
import type { Repetitions } from '@sluice/store/entries/value-surveys.ts';
import type { ReplayResult, ReplaySelection } from '@sluice/store/refused/replays.ts';
import type { Formulas } from '@sluice/tables/csv/cell-json.ts';
import type { Delimiter } from '@sluice/tables/csv/record.ts';
import { ObjectId } from 'mongodb';
import type { ArchiveJob, VerificationJob } from './archive-record.ts';
import type { KeyRefusals, ReasonGroup } from './chunk-records.ts';
import type { ErasureJob } from './erasure-record.ts';
import type { ExportJob } from './export-record.ts';
import { type Job, type JobState, jobKinds, type Part } from './job.ts';

export type ImportFormat = 'ndjson' | 'json' | 'csv';

export interface ImportOptions {
  /** Version of the schema in force when the job was made; absent: the first. */
  version?: number;
  format: ImportFormat;
  formulas: Formulas;
  /** In bytes; a longer line is refused. */
  lineLimit: number;
  /** Each line is an entry of an NDJSON export, and keeps its time. */
  isWrapped?: boolean | undefined;
  /** For CSV: the JSON Pointer of each column; null: the column is left out. */
  columns?: (string | null)[] | undefined;
  /** For CSV: the separator of cells; absent: a comma. */
  delimiter?: Delimiter | undefined;
  /** Name of the file, as the client said. */
  fileName?: string | undefined;
}

/** How a job is to end, before all its chunks are done. */
export interface Ending {
  state: 'cancelled' | 'failed';
  expiresAt: Date;
  error?: string | undefined;
  isDefect?: boolean | undefined;
}

/** A job whose chunks many workers do at once. */
interface Chunked extends Job {
  /** Present: the job ends when the chunks that workers have begun are done. */
  ending?: Ending;
  /** False while chunks are still being created. */
  received: boolean;
  accepted: number;
  rejected: number;
  /** Compressed bytes of an import's file that are not processed yet. */
  held: number;
}

/** A file that arrives in pieces, or that a worker downloads. */
export interface ImportSource {
  /** Absent: a client sends the file. */
  url?: string | undefined;
  /** Bytes that have arrived. */
  bytes: number;
  /** Bytes of the file; absent: only the server of the URL knows. */
  size?: number | undefined;
  /** Compressed bytes of the pieces that a client has sent. */
  stored: number;
  /** Whether a worker can cut the file into chunks; absent again once they are there. */
  isReady?: true | undefined;
  /** Names of columns for a CSV without a header, or other names for those of its header. */
  names?: string | undefined;
  /** In bytes, when the job was made: of the file, and of all that the owner's imports hold. */
  limit: number;
  quota: number;
  /** What the client says of the file, as it sent it. */
  metadata?: string | undefined;
}

export interface ImportJob extends Chunked {
  kind: 'import';
  /** Absent: the file came in one request. */
  source?: ImportSource | undefined;
  /** Of a completed import: see `ChunkResult`. */
  repeated?: number;
  options: ImportOptions;
}

export interface RehearsalOptions {
  /** The schema that is proposed. */
  rawSchema: string;
  of: 'entries' | 'refused' | 'both';
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Validates stored entries and refused uploads with another schema, and changes nothing. */
export interface RehearsalJob extends Chunked {
  kind: 'rehearsal';
  options: RehearsalOptions;
  /** Groups and keys are sorted by frequency; absent in a brief record. */
  result?: { checked: number; conforming: number; groups?: ReasonGroup[]; by_key?: KeyRefusals[] };
}

export type ChunkedJob = ImportJob | RehearsalJob;

export interface ReplayOptions extends Omit<ReplaySelection, 'after'> {
  /** A JSON Patch and the coercions, as JSON text: keys of users are no keys of documents. */
  patch?: string | undefined;
  coerce?: string | undefined;
}

/** Validates refused uploads again, and stores the uploads that conform now. */
export interface ReplayJob extends Job {
  kind: 'replay';
  options: ReplayOptions;
  /** Id of the last finished upload. */
  after?: string | undefined;
  result?: ReplayResult;
}

interface DeletionOptions {
  from?: Date | undefined;
  to?: Date | undefined;
  /** Conditions, see `toText`. */
  filter?: string | undefined;
}

export interface DeletionJob extends Job {
  kind: 'deletion';
  options: DeletionOptions;
  /** Continues after this entry, so that MongoDB need not scan the deleted entries. */
  after?: EntryId | undefined;
  result?: { deleted: number };
}

/** Counts the entries that would have been repeated if a member had been unique, or gives stored entries their values. */
export interface UniqueJob extends Job {
  kind: 'unique';
  /** `path`: a JSON Pointer. `until`: the newest entry; absent: there is none. `gives`: entries from `since` on get their values. */
  options: { path: string; until?: EntryId | undefined; gives?: true | undefined; since?: Date | undefined };
  after?: EntryId | undefined;
  result?: { checked: number } & Repetitions;
}

export type JobRecord =
  | ExportJob
  | ImportJob
  | RehearsalJob
  | ReplayJob
  | DeletionJob
  | ErasureJob
  | UniqueJob
  | ArchiveJob
  | VerificationJob;
export type JobWithFile = ExportJob | ImportJob | RehearsalJob;

export type JobOf<Kind extends JobRecord['kind']> = Extract<JobRecord, { kind: Kind }>;

type Stored<Record> = Omit<Record, 'id' | 'application' | 'owner'> & {
  _id: ObjectId;
  application: ObjectId;
  owner: ObjectId;
  parts: Part[];
};
export type ExportDocument = Stored<ExportJob>;
export type ImportDocument = Stored<ImportJob>;
export type RehearsalDocument = Stored<RehearsalJob>;
export type ArchiveJobDocument = Stored<ArchiveJob>;
export type ErasureDocument = Stored<ErasureJob>;
export type VerificationDocument = Stored<VerificationJob>;
export type JobDocument =
  | ExportDocument
  | ImportDocument
  | RehearsalDocument
  | Stored<ReplayJob>
  | Stored<DeletionJob>
  | ErasureDocument
  | Stored<UniqueJob>
  | ArchiveJobDocument
  | VerificationDocument;

export function newDocument({ application, owner }: Pick<Job, 'application' | 'owner'>) {
  const now = new Date();
  return {
    _id: new ObjectId(),
    application: new ObjectId(application),
    owner: new ObjectId(owner),
    state: 'waiting' as const,
    fence: 0,
    attempts: 0,
    done: 0,
    total: 0,
    bytes: 0,
    parts: [],
    createdAt: now,
    queuedAt: now,
  };
}

type RecordOf<Document extends JobDocument> = JobOf<Document['kind']>;

/** Omits the list of parts, which can be long: see `partsOf`. */
export const toRecord = <Document extends JobDocument>({
  _id,
  application,
  owner,
  parts: _,
  ...rest
}: Document) =>
  ({
    ...rest,
    id: _id.toHexString(),
    application: application.toHexString(),
    owner: owner.toHexString(),
  }) as unknown as RecordOf<Document>;

export const unfinished: JobState[] = ['waiting', 'active'];

/** The kinds whose commits check the state of the job: what they did is known at any moment. */
export const wholeKinds = jobKinds.filter((kind) => kind !== 'import' && kind !== 'rehearsal');

/** Whether the job is to end before all its chunks are done. */
export const isEnding = (job: JobRecord): boolean => 'ending' in job && job.ending !== undefined;

/** Whether a worker may still work on the job. */
export const isUnfinished = (job: JobRecord | undefined): boolean =>
  job !== undefined && unfinished.includes(job.state);

/** Whether workers have still to cut the file of an import into chunks. */
export const isUncut = (job: JobRecord): job is ImportJob & { source: ImportSource } =>
  job.kind === 'import' && !job.received && job.source !== undefined;

/** Whether a job can be retried. The client of a streamed file is gone, a file that cannot be read is not kept, nor is what an erasure was to erase. */
export const isRetriable = (job: JobRecord): boolean =>
  job.state === 'failed' &&
  job.kind !== 'erasure' &&
  !(job.kind === 'export' && job.transient) &&
  !(isUncut(job) && job.source.url === undefined);
