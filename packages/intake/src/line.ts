import type { ErrorDetail, ErrorName } from '@sluice/shared/errors.ts';

/** What becomes of a line: an upload, a line of a batch or of an import, a replayed upload or a rehearsed entry. */
export type Fate = AcceptedLine | RefusedLine;

/** It conforms and can be stored. */
export interface AcceptedLine {
  kind: 'accepted';
  json: Buffer;
  /** The same as `json`. */
  bson: Buffer;
  /** The fields that must be recorded before the entry is stored. */
  fields: string[];
  /** Time of a wrapped entry, in ms since the epoch. */
  createdAt?: number;
}

export interface RefusedLine {
  kind: 'refused';
  /** Has the first fault only, if there may be more. */
  refusal: Refusal;
  /** Finds all faults. It costs more than the verdict, so ask only if someone reads them. */
  explain(): Promise<Refusal>;
  /** The payload as text; absent if the line has none. */
  payload?: Buffer;
}

/** Why a line is refused, as its sender is told. */
export interface Refusal {
  name: ErrorName;
  message: string;
  /** Absent if the payload is not JSON. */
  details?: ErrorDetail[];
}

/** A line of which nothing more can be found. */
export const refuse = (refusal: Refusal, payload?: Buffer): RefusedLine => ({
  kind: 'refused',
  refusal,
  explain: async () => refusal,
  ...(payload && { payload }),
});
