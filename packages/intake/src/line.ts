import type { ErrorDetail, ErrorName } from '@sluice/shared/errors.ts';

/** What becomes of a line: an upload, a line of a batch or of an import, a replayed upload or a rehearsed entry. */
export type Fate = Judged | StoredLine | FailedLine;

/** What a schema says of it. */
export type Judged = AcceptedLine | RefusedLine;

/** It conforms and can be stored. */
export interface AcceptedLine {
  kind: 'accepted';
  json: Buffer;
  /** The same as `json`. */
  bson: Buffer;
  /** The fields that must be recorded before the entry is stored. */
  fields: string[];
  /** Hash of its unique value; see `uniqueIn`. */
  value?: Buffer | undefined;
  /** Time of a wrapped entry, in ms since the epoch. */
  createdAt?: number;
}

/** Its content is wrong. */
export interface RefusedLine {
  kind: 'refused';
  /** Without details if the payload does not conform. */
  refusal: Refusal;
  /** Finds all details. It costs more than the verdict, so ask only if someone reads them. Never rejects. */
  explain(): Promise<Refusal>;
  /** The payload as text; absent if the line has none. */
  payload?: Buffer;
  /** Of what does not conform: hash of its unique value. */
  value?: Buffer | undefined;
}

/** It is durable: now, or since an earlier upload with the same key. */
export interface StoredLine {
  kind: 'stored' | 'repeated';
}

/** `conflicting`: another payload has its key. `duplicate`: another payload has its unique value. `busy`: it is not stored, a retry may succeed. `unknown`: it may be stored. */
export interface FailedLine {
  kind: 'conflicting' | 'duplicate' | 'busy' | 'unknown';
  refusal: Refusal;
}

/** Why a line is not stored, as its sender is told. */
export interface Refusal {
  name: ErrorName;
  message: string;
  /** The message if the payload is one line of many and not JSON. */
  ofLine?: string;
  /** Absent if the payload is not JSON. */
  details?: ErrorDetail[];
}

/** A line of a batch that is not stored. Lines count from 1. */
export interface LineFailure {
  line: number;
  kind: (RefusedLine | FailedLine)['kind'];
  refusal: Refusal;
  explain?: RefusedLine['explain'] | undefined;
  value?: Buffer | undefined;
}

/** A refused line of which nothing more can be found. */
export const refuse = (refusal: Refusal, payload?: Buffer): RefusedLine => ({
  kind: 'refused',
  refusal,
  explain: async () => refusal,
  ...(payload && { payload }),
});
