import type { EntryRange } from '@sluice/store/entries/pieces.ts';
import type { Reason } from '@sluice/store/refused/refused-records.ts';
import type { ObjectId } from 'mongodb';

/** The piece of a job that one worker does at a time. */
interface AnyChunk {
  id: string;
  job: string;
  application: string;
  /** Index in the file. */
  seq: number;
  /** For a rehearsal an estimate, and the exact number once the chunk is done. */
  lines: number;
}

/** Some lines of an import. */
export interface Chunk extends AnyChunk {
  /** Id of the part that holds its lines. */
  part: string;
  /** Size of the compressed part. */
  bytes: number;
}

/** A range of entries of a rehearsal, or its refused uploads. */
export interface RangeChunk extends AnyChunk {
  /** Absent: all refused uploads. */
  range?: EntryRange;
}

/** A lease on a chunk. */
export interface Claim {
  /** Counts the claims; only the last worker may write. */
  fence: number;
  /** Claims without progress, with the current claim. */
  attempts: number;
  /** Lines that are in the job's progress already. */
  counted: number;
}

export type ClaimedRange = RangeChunk & Claim;

export interface ClaimedChunk extends Chunk, Claim {
  /** Time of the entries (ms since the epoch): when the chunk was first claimed, until the import fails. */
  stamp: number;
  /** Times before the import failed: some entries may be stored with these times. */
  earlier: number[];
}

/** Progress of a job in lines. `held`: compressed bytes of unfinished chunks. */
export interface ChunkTotals {
  done: number;
  accepted: number;
  repeated: number;
  rejected: number;
  held: number;
}

export interface ChunkResult {
  accepted: number;
  /** How many of the accepted lines were stored before with the same unique value. */
  repeated?: number;
  rejected: number;
  /** The part with the refused lines; absent: there are none. `bytes` is the size before compression. */
  report?: { part: string; bytes: number } | undefined;
  /** Of a rehearsal. */
  groups?: ReasonGroup[] | undefined;
  keys?: CheckedKey[] | undefined;
}

interface CountedKey {
  /** Id of the ingest key; null: sent without one. */
  key: string | null;
  checked: number;
  refused: number;
}

/** What a schema refuses of a key's payloads. `paths`: JSON Pointers of the first faults, most frequent first. */
export interface KeyRefusals extends CountedKey {
  paths: string[];
}

/** The same for some of the payloads. */
export interface CheckedKey extends CountedKey {
  paths: { path: string; count: number }[];
}

/** Nonconforming payloads with the same reason. */
export interface ReasonGroup extends Reason {
  count: number;
  /** One payload as JSON text: MongoDB does not take every key of users. */
  example: string;
}

export interface ChunkDocument extends Claim, Partial<ChunkResult> {
  _id: ObjectId;
  job: ObjectId;
  application: ObjectId;
  state: 'open' | 'done';
  /** No worker takes this chunk: the job ends without it. Its stored lines are counted. */
  left?: true;
  seq: number;
  lines: number;
  /** Of an import. */
  part?: string;
  bytes: number;
  /** Of a rehearsal. */
  range?: EntryRange;
  stamp?: number;
  earlier?: number[];
  /** End of the current or last lease. */
  leaseUntil?: Date;
}
