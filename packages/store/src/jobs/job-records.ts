import type { Column } from '@sluice/schemas/columns/columns.ts';
import type {
  Arrays,
  DeletionResult,
  Format,
  Formulas,
  ImportFormat,
  Meta,
  ReplayResult,
} from '@sluice/shared/contracts/jobs.ts';
import type { JobState } from '@sluice/shared/jobs.ts';
import { ObjectId } from 'mongodb';
import type { Cut, Seen } from '../entries/cuts.ts';
import type { EntryId } from '../entries/entry-id.ts';
import type { ReasonGroup } from './chunk-records.ts';

export interface Part {
  id: string;
  rows: number;
  /** Of the file, before the compression in the store. */
  bytes: number;
}

export interface ExportOptions {
  format: Format;
  from?: Date | undefined;
  to?: Date | undefined;
  /** Names of columns in the order of the file; absent: all. */
  columns?: string[] | undefined;
  formulas: Formulas;
  arrays: Arrays;
  /** Columns that are no fields, in their order; where `columns` is there, it has them too. */
  meta?: Meta[] | undefined;
  /** What payloads must meet; absent: nothing. */
  filter?: string | undefined;
}

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

interface Job {
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

/** How far the parts of an export reach. */
export interface Position {
  /** Which reading of the entries, from 0. */
  pass: number;
  /** The last entry of this pass in the parts; absent when there is none. */
  after?: EntryId | undefined;
  /** Entries in the file, by the first reading. */
  entries: number;
}

/** How a column of Parquet holds values; `json`: as their text. */
export type ColumnKind =
  | 'integer'
  | 'number'
  | 'string'
  | 'boolean'
  | 'date'
  | 'timestamp'
  | 'list'
  | 'struct'
  | 'json';

/** What a first reading of the entries told about their columns; whoever goes on with the file writes the same ones. */
export interface ExportShape {
  /** With `format=parquet`: of each column, or part of one, for which the schemas do not tell the type. */
  kinds?: ColumnKind[];
  /** One with `arrays=columns`. With `arrays=rows` the table of the entries, then one for each array of objects. */
  tables: TableShape[];
  seen?: Seen | undefined;
}

export interface TableShape {
  /** Of its file in the archive, without the ending. */
  name: string;
  /** JSON Pointers: of the array in the payload, of the next one in its elements, and so on; none for the entries. */
  path: string[];
  /** Of the fields in an element, or in the payload. */
  columns: Column[];
}

export interface ExportJob extends Job {
  kind: 'export';
  options: ExportOptions;
  /** Which entries are in the file; absent when there was none. */
  cut?: Cut | undefined;
  /** The version of the schema that was in force behind the cut; absent where an API of before there were versions made the job. */
  version?: number;
  /** How many of the application's recorded fields are columns. */
  leafCount: number;
  /** There are others, which have one column together. */
  hasRest?: boolean | undefined;
  /** Some entry may have a number beyond 2^53: where it is not false, Parquet's types of numbers take a look at all entries. */
  hasLarge?: boolean | undefined;
  /** True for a file that is streamed to one client and not kept. */
  transient: boolean;
  /** Entries between its first and its last were deleted after its cut, and may be missing. */
  deletedMeanwhile?: boolean;
  /** Absent until it is known, and where `arrays` is `json`. */
  shape?: ExportShape;
  position?: Position;
  /** Of the first and of the last entry in the parts. */
  firstCreatedAt?: Date | undefined;
  lastCreatedAt?: Date | undefined;
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

/** Validates refused uploads again, and stores those that conform now. */
export interface ReplayJob extends Job {
  kind: 'replay';
  options: ReplayOptions;
  /** Id of the last upload that is done; absent when there is none. */
  after?: string | undefined;
  result?: ReplayResult;
}

export interface DeletionOptions {
  from?: Date | undefined;
  to?: Date | undefined;
  /** Conditions, see `toText`. */
  filter?: string | undefined;
}

/** Deletes entries. */
export interface DeletionJob extends Job {
  kind: 'deletion';
  options: DeletionOptions;
  result?: DeletionResult;
}

export type JobRecord = ExportJob | ImportJob | RehearsalJob | ReplayJob | DeletionJob;
/** The kinds that end with a file. */
export type JobWithFile = ExportJob | ImportJob | RehearsalJob;
export const hasFile = (job: JobRecord): job is JobWithFile =>
  job.kind !== 'replay' && job.kind !== 'deletion';

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
