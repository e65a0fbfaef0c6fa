import type { EntryId } from '@sluice/store/entries/entry-id.ts';
import type { Job } from './job.ts';

/** In this order; a step may run again. */
export const erasureSteps = ['wait', 'refused', 'entries', 'lake', 'late', 'copies', 'archives'] as const;
export type ErasureStep = (typeof erasureSteps)[number];

export interface ErasureOptions {
  /** Username of who asked. */
  by: string;
  /** Conditions, see `toText`. They are data of persons: removed when the job ends, however it ends. */
  target?: string;
  /** The condition names values of the unique member. */
  byValue?: boolean;
}

/** What stays of an erasure, besides the hashes. */
export interface ErasureRecord {
  id: string;
  application: string;
  domain: string;
  /** Username. */
  by: string;
  at: Date;
  entries: number;
  refused: number;
  files: number;
}

/** Removes entries and all copies of their payloads. The job stays as a record, without the filter and the values. */
export interface ErasureJob extends Job {
  kind: 'erasure';
  options: ErasureOptions;
  step?: ErasureStep;
  /** Ids of jobs that are still to end. */
  awaited?: string[];
  /** Ids of removed jobs whose parts are still there. */
  unswept?: string[];
  /** The newest entry when the refused uploads were gone. */
  until?: EntryId;
  /** The step goes on after this entry. */
  after?: EntryId;
  result?: { entries: number; refused: number; files: number };
}
