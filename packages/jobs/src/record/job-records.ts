import type { Cut } from '@sluice/store/entries/cuts.ts';
import type { EntryId } from '@sluice/store/entries/entry-id.ts';
import type { Formulas } from '@sluice/tables/csv/cell-json.ts';
import type { Delimiter } from '@sluice/tables/csv/record.ts';
import { ObjectId } from 'mongodb';
import type { ReasonGroup } from './chunk-records.ts';
import type { ExportJob } from './export-record.ts';
import type { Job, JobState, Part } from './job.ts';

export type ImportFormat = 'ndjson' | 'json' | 'csv';

export interface ImportOptions {
  /** Of the schema that was in force when the job was made; absent: the first. */
  version?: number;
  format: ImportFormat;
  formulas: Formulas;
  /** In bytes; a longer line is refused. */
  lineLimit: number;
  /** Each line is an entry of an NDJSON export, and keeps its time. */
  isWrapped?: boolean | undefined;
  /** Of CSV: where each cell goes, as a JSON Pointer; null for those that are left out. */
  columns?: (string | null)[] | undefined;
  /** Of CSV: what separates the cells; absent: a comma. */
  delimiter?: Delimiter | undefined;
}

/** What many workers do at once, a chunk each. */
interface Chunked extends Job {
  /** False while its chunks are still made. */
  received: boolean;
  accepted: number;
  rejected: number;
  /** Bytes of an import's file in the store, compressed, until they are done. */
  held: number;
}

export interface ImportJob extends Chunked {
  kind: 'import';
  options: ImportOptions;
}

export interface RehearsalOptions {
  /** The schema that is proposed. */
  rawSchema: string;
  of: 'entries' | 'refused' | 'both';
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Validates what is stored with another schema, and changes nothing. What conforms is accepted. */
export interface RehearsalJob extends Chunked {
  kind: 'rehearsal';
  options: RehearsalOptions;
  /** Which entries are checked; absent when there was none. */
  cut?: Cut | undefined;
  /** Groups: most frequent first; absent where the record is read without what can be large. */
  result?: { checked: number; conforming: number; groups?: ReasonGroup[] };
}

export type ChunkedJob = ImportJob | RehearsalJob;

export interface ReplayOptions {
  /** Ids of refused uploads; absent: all that the others select. */
  ids?: string[] | undefined;
  path?: string | undefined;
  keyword?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  /** A JSON Patch and the coercions, as JSON text: keys of users are no keys of documents. */
  patch?: string | undefined;
  coerce?: string | undefined;
}

export interface ReplayResult {
  stored: number;
  still_refused: number;
  /** Uploads that were stored before with the same key; they are refused no more. */
  repeated?: number;
}

/** Validates refused uploads again, and stores those that conform now. */
export interface ReplayJob extends Job {
  kind: 'replay';
  options: ReplayOptions;
  /** Id of the last upload that is done; absent when there is none. */
  after?: string | undefined;
  result?: ReplayResult;
}

interface DeletionOptions {
  from?: Date | undefined;
  to?: Date | undefined;
  /** Conditions, see `toText`. */
  filter?: string | undefined;
}

/** Deletes entries. */
export interface DeletionJob extends Job {
  kind: 'deletion';
  options: DeletionOptions;
  /** It goes on behind this entry: MongoDB would walk over the deleted ones below. */
  after?: EntryId | undefined;
  result?: { deleted: number };
}

export type JobRecord = ExportJob | ImportJob | RehearsalJob | ReplayJob | DeletionJob;
/** The kinds that end with a file. */
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
export type JobDocument =
  | ExportDocument
  | ImportDocument
  | RehearsalDocument
  | Stored<ReplayJob>
  | Stored<DeletionJob>;

/** What every job begins with. */
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

/** Without the list of parts, which can be long: see `partsOf`. */
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

/** Whether a worker may still have something to do for it. */
export const isUnfinished = (job: JobRecord | undefined): boolean =>
  job !== undefined && unfinished.includes(job.state);

/** Whether a job that is in this state for good now can be tried again. Who asked for a streamed file is gone. */
export const isRetriable = (job: JobRecord): boolean =>
  job.state === 'failed' && !(job.kind === 'export' && job.transient);
