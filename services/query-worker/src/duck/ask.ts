import type { CountsAsk } from './fields/fields.ts';
import type { EntriesAsk } from './fields/over-entries.ts';
import type { PageAnswer, PageAsk } from './page.ts';
import type { AnswerBody, Question } from './question.ts';
import type { SortedAsk } from './sort-page.ts';

/** What each process is asked over. */
export interface AskedFiles {
  /** Paths of Parquet files with entries, and of lists of deleted ones. */
  files: string[];
  deleted: string[];
  /** An empty folder of its own. */
  folder: string;
}

/** What processes answer, by kind. */
export interface Asks {
  question: { asked: Question; answer: AnswerBody };
  /** These answers are JSON. */
  fields: { asked: EntriesAsk; answer: string };
  counts: { asked: CountsAsk; answer: string };
  page: { asked: PageAsk; answer: PageAnswer };
  sorted: { asked: SortedAsk; answer: PageAnswer };
}

export type AskKind = keyof Asks;

/** The message that a process gets. */
export type AskMessage<K extends AskKind = AskKind> = {
  [Each in K]: { kind: Each } & Asks[Each]['asked'];
}[K];

/** Why there is no answer: what was asked is wrong, or takes too much. `line` and `column` count from 1. */
export interface AskRefusal {
  message: string;
  excess?: 'too_long' | 'too_large';
  line?: number;
  column?: number;
}

export type Reply<Answer> = { answer: Answer } | { refusal: AskRefusal };

export const limits = {
  /** Of an answer to a question. */
  rows: 10_000,
  bytes: 16 * 1024 ** 2,
  ms: 30_000,
  /** What DuckDB takes before it uses the disk. */
  memory: '256MB',
  disk: '1GB',
  /** What a process may take in all. */
  residentBytes: 600 * 1024 ** 2,
};
