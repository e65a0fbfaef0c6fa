import type { ObjectId } from 'mongodb';

/** Some lines of an import: what one worker does at a time. */
export interface Chunk {
  id: string;
  job: string;
  application: string;
  /** Its place in the file, from 0. */
  seq: number;
  lines: number;
  /** Id of the part that holds its lines. */
  part: string;
  /** Of the part, compressed. */
  bytes: number;
}

export interface ClaimedChunk extends Chunk {
  /** Counts the workers that took it; only the last of them may write. */
  fence: number;
  /** Workers that took it and were not heard of again, and the one that has it. */
  attempts: number;
  /** The time of its entries (ms since the epoch): when it was first taken, and the same until its import fails. */
  stamp: number;
  /** Times that it had before its import failed: some of its entries may be stored with them. */
  earlier: number[];
  /** Lines that are in the job's progress already. */
  counted: number;
}

/** How far an import is, in lines; `held`: bytes of its file that are not done, compressed. */
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
}

export interface ChunkDocument extends Omit<Chunk, 'id' | 'job' | 'application'>, Partial<ChunkResult> {
  _id: ObjectId;
  job: ObjectId;
  application: ObjectId;
  state: 'open' | 'done';
  fence: number;
  attempts: number;
  counted: number;
  stamp?: number;
  earlier?: number[];
  /** A worker has it until then, or had it. */
  leaseUntil?: Date;
}
