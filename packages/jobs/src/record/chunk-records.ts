import type { EntryRange } from '@sluice/store/entries/split-entries.ts';
import type { ObjectId } from 'mongodb';

/** What one worker does of a job at a time. */
interface AnyChunk {
  id: string;
  job: string;
  application: string;
  /** Its place in the file, from 0. */
  seq: number;
  /** Of a rehearsal: what is checked, about; exactly once that is done. */
  lines: number;
}

/** Some lines of an import. */
export interface Chunk extends AnyChunk {
  /** Id of the part that holds its lines. */
  part: string;
  /** Of the part, compressed. */
  bytes: number;
}

/** Some entries of a rehearsal, or its refused uploads. */
export interface RangeChunk extends AnyChunk {
  /** Absent: all refused uploads. */
  range?: EntryRange;
}

/** A lease on a chunk. */
export interface Claim {
  /** Counts the workers that took it; only the last of them may write. */
  fence: number;
  /** Workers that took it and were not heard of again, and the one that has it. */
  attempts: number;
  /** Lines that are in the job's progress already. */
  counted: number;
}

export type ClaimedRange = RangeChunk & Claim;

export interface ClaimedChunk extends Chunk, Claim {
  /** The time of its entries (ms since the epoch): when it was first taken, and the same until its import fails. */
  stamp: number;
  /** Times that it had before its import failed: some of its entries may be stored with them. */
  earlier: number[];
}

/** How far a job is, in lines; `held`: bytes of its file that are not done, compressed. */
export interface ChunkTotals {
  done: number;
  accepted: number;
  rejected: number;
  held: number;
}

/** What became of a chunk. */
export interface ChunkResult {
  accepted: number;
  rejected: number;
  /** The part with its refused lines; absent when there is none. `bytes` before compression. */
  report?: { part: string; bytes: number } | undefined;
  /** Of a rehearsal. */
  groups?: ReasonGroup[] | undefined;
}

/** What does not conform for the same reason. */
export interface ReasonGroup {
  /** JSON Pointer into the payload. */
  path: string;
  keyword: string;
  count: number;
  /** A payload of them, as JSON text: keys of users are no keys of documents. */
  example: string;
}

export interface ChunkDocument extends Claim, Partial<ChunkResult> {
  _id: ObjectId;
  job: ObjectId;
  application: ObjectId;
  state: 'open' | 'done';
  seq: number;
  lines: number;
  /** Of an import. */
  part?: string;
  bytes: number;
  /** Of a rehearsal. */
  range?: EntryRange;
  stamp?: number;
  earlier?: number[];
  /** A worker has it until then, or had it. */
  leaseUntil?: Date;
}
