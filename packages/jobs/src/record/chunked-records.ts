import type { Cut } from '@sluice/store/entries/cuts.ts';
import type { Formulas } from '@sluice/tables/csv/cell-json.ts';
import type { Delimiter } from '@sluice/tables/csv/record.ts';
import type { ReasonGroup } from './chunk-records.ts';
import type { Job } from './job.ts';

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
