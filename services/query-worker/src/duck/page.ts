import type { AskedFiles } from './ask.ts';
import type { FileCondition } from './conditions.ts';
import type { AskedPeriod } from './period.ts';

/** A file, and the ids of its first and its last entry. */
export interface EntryFile {
  path: string;
  first: string;
  last: string;
}

/** A page of entries that meet conditions, and how many meet them in all. */
export interface PageAsk extends AskedFiles, AskedPeriod {
  /** The files of each run, which have the same columns. */
  runs: EntryFile[][];
  conditions: FileCondition[];
  /** Refused where a condition needs the payloads, which MongoDB reads faster. */
  byColumns: boolean;
  /** Only entries above this one are taken from files. */
  after?: string | undefined;
  /** Deleted entries that no list has. */
  removed: string[];
  /** Entries that no file has: as far as the page can have them, and how many there are. */
  others: { ids: string[]; total: number };
  /** The page begins behind `cursor`, and goes forward up to `end` or back. */
  order: 'newest' | 'oldest';
  cursor?: string | undefined;
  end?: string | undefined;
  start: number;
  limit: number;
}

export interface PageAnswer {
  ids: string[];
  total: number;
}
