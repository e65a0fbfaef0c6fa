import type { ArchiveTarget } from '@sluice/store/archives/archive-records.ts';
import type { EntryId } from '@sluice/store/entries/entry-id.ts';
import type { Column, Meta } from '@sluice/tables/columns.ts';
import type { Formulas } from '@sluice/tables/csv/cell-json.ts';
import type { Job } from './job.ts';

export const exportFormats = ['csv', 'ndjson', 'parquet'] as const;
export type Format = (typeof exportFormats)[number];

export const arrays = ['json', 'columns', 'rows'] as const;
export type Arrays = (typeof arrays)[number];

export interface ExportOptions {
  format: Format;
  from?: Date | undefined;
  to?: Date | undefined;
  /** Names of columns in the order of the file; absent: all. */
  columns?: string[] | undefined;
  /** How many they are: lists are read without them. */
  columnCount?: number | undefined;
  formulas: Formulas;
  arrays: Arrays;
  /** Columns that are no fields, in order. `columns` contains them too. */
  meta?: Meta[] | undefined;
  /** Conditions, see `toText`; absent: none. */
  filter?: string | undefined;
}

/** The end of the committed parts of an export. */
export interface Position {
  /** Index of the reading of the entries. */
  pass: number;
  /** The last committed entry of this pass. */
  after?: EntryId | undefined;
  /** Entries in the file, counted in the first pass. */
  entries: number;
}

/** The type of a Parquet column; `json`: text. */
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

/** The columns that a survey of the entries found. Every worker of the job writes the same columns. */
export interface ExportShape {
  /** For Parquet: the kind of each node that the schemas do not determine. */
  kinds?: ColumnKind[];
  /** With `arrays=columns` one table. With `arrays=rows` the entries, then a table for each array of objects. */
  tables: TableShape[];
}

export interface TableShape {
  /** Name of the file in the archive, without extension. */
  name: string;
  /** A JSON Pointer to the array, then for each nested array a pointer within the element; empty for the entries. */
  path: string[];
  /** Columns for the fields of an element, or of the payload. */
  columns: Column[];
}

export interface ExportJob extends Job {
  kind: 'export';
  options: ExportOptions;
  /** The last entry that may be in the file; absent: there were no entries. */
  cut?: EntryId | undefined;
  /** What a later version of the application in `deletions` announces is not in the file. */
  announced?: number | undefined;
  /** Version of the schema in force after the cut. */
  version: number;
  /** Number of recorded fields that are columns. */
  leafCount: number;
  /** Whether further fields share one column. */
  hasRest?: boolean | undefined;
  /** False: no entry has a number beyond 2^53. Otherwise Parquet surveys all entries. */
  hasLarge?: boolean | undefined;
  /** True for a file that is streamed to one client and not kept. */
  transient: boolean;
  /** Where the file goes as one object; absent: it is kept here. */
  target?: ArchiveTarget | undefined;
  /** The unfinished object: its id in the target, and the tags of the parts that count. */
  upload?: { id: string; tags: string[] };
  /** Entries were deleted after the cut, and may be missing from the file. */
  deletedMeanwhile?: boolean;
  /** Entries may go into an archive meanwhile: it looks after each page. While another one is under way, none goes. */
  followsArchive?: true;
  /** It failed as an erasure removed entries that it may have read. A retry begins anew. */
  metByErasure?: true;
  /** Absent until known, and with `arrays=json`. */
  shape?: ExportShape;
  position?: Position;
  firstCreatedAt?: Date | undefined;
  lastCreatedAt?: Date | undefined;
}
