import type { AskedFiles } from './ask.ts';

/** A SELECT of a user. */
export interface Question extends AskedFiles {
  sql: string;
  /** By place, or by name. */
  params: unknown[] | Record<string, unknown>;
  format: AnswerFormat;
  /** The files have every entry up to this time (ISO 8601); absent: there is none. */
  asOf?: string | undefined;
}

export type AnswerFormat = 'json' | 'csv' | 'ndjson' | 'parquet';

/** `truncated`: there are more rows. */
export interface AnswerBody {
  body: Uint8Array;
  rows: number;
  truncated: boolean;
}
