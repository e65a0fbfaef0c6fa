import type { Cut, Seen } from '@sluice/store/entries/cuts.ts';
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
  formulas: Formulas;
  arrays: Arrays;
  /** Columns that are no fields, in their order; where `columns` is there, it has them too. */
  meta?: Meta[] | undefined;
  /** What payloads must meet; absent: nothing. */
  filter?: string | undefined;
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
