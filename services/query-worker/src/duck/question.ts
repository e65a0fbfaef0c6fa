/** What a process answers. */
export interface Question {
  sql: string;
  /** By place, or by name. */
  params: unknown[] | Record<string, unknown>;
  format: AnswerFormat;
  /** Paths of Parquet files with entries, and of lists of deleted ones. */
  files: string[];
  deleted: string[];
  /** The files have every entry up to this time (ISO 8601); absent: there is none. */
  asOf?: string | undefined;
  /** An empty folder of its own. */
  folder: string;
}

export type AnswerFormat = 'json' | 'csv' | 'ndjson' | 'parquet';

/** `truncated`: there are more rows. */
export interface AnswerBody {
  body: Uint8Array;
  rows: number;
  truncated: boolean;
}

/** Why there is no answer: the question is wrong, or takes too much. `line` and `column` count from 1. */
export interface QuestionRefusal {
  message: string;
  excess?: 'too_long' | 'too_large';
  line?: number;
  column?: number;
}

export type Reply = { answer: AnswerBody } | { refusal: QuestionRefusal };

export const limits = {
  rows: 10_000,
  bytes: 16 * 1024 ** 2,
  ms: 30_000,
  /** What DuckDB takes before it uses the disk. */
  memory: '256MB',
  disk: '1GB',
  /** What a process may take in all. */
  residentBytes: 600 * 1024 ** 2,
};
