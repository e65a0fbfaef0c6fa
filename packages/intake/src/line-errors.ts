import {
  ApiError,
  type ErrorName,
  type LineError,
  notConfirmed,
  tooMany,
  unavailable,
} from '@sluice/shared/errors.ts';
import type { Unique } from '@sluice/store/applications/applications.ts';
import type { Outcome } from '@sluice/store/entries/entries.ts';
import type { FailedLine, LineFailure, Refusal, StoredLine } from './line.ts';

const detailsOfLine = 20;

/** A refusal in the words for a line. Limits the details, as the answer may have many lines. */
export const toLineRefusal = (
  { name, message, ofLine = message, details }: Refusal,
  isExplained: boolean,
): Refusal => ({
  name,
  message: ofLine,
  ...(details && { details: details.slice(0, isExplained ? detailsOfLine : 1) }),
});

export const toLineError = ({ line, refusal }: LineFailure): LineError => ({ line, ...refusal });

/** The error for an upload, or for a batch of which no line is stored. */
export function toApiError({ name, message, details }: Refusal): ApiError {
  if (name === 'ServiceUnavailableError') return unavailable(message);
  if (name === 'TooManyRequestsError') return tooMany(message, 2);
  return new ApiError(name, message, details && { details });
}

export function noneStored(lines: number, failures: LineFailure[]): ApiError {
  if (failures.some(({ kind }) => kind === 'unknown')) return toApiError(unknown.refusal);
  const [only] = failures;
  const message =
    lines === 1 && only
      ? `the line was not stored: ${only.refusal.message}`
      : `none of the ${lines} lines was stored`;
  const busy = busyNames.find((name) => failures.some(({ refusal }) => refusal.name === name));
  return busy
    ? toApiError({ name: busy, message })
    : new ApiError('SchemaValidationError', message, { details: failures.map(toLineError) });
}

const busyNames: ErrorName[] = ['ServiceUnavailableError', 'TooManyRequestsError'];

export const overLimit = (limit: number) => `the line is over the limit of ${limit} bytes`;

export const tooLarge = (message: string): Refusal => ({ name: 'PayloadTooLargeError', message });

export const tooLargeToStore = 'the payload takes more than 16 MB as it is stored';

/** The answer to a line on which our own code failed. Other lines are still processed. */
export const defect: Refusal = {
  name: 'InternalServerError',
  message: 'a defect of the service: this line could not be read and was not stored',
};

const unavailableLine = (kind: FailedLine['kind'], message: string): FailedLine => ({
  kind,
  refusal: { name: 'ServiceUnavailableError', message },
});

export const notBegun = unavailableLine('busy', 'the database is away; this line was not stored');
export const unknown = unavailableLine('unknown', notConfirmed);

/** What becomes of a line once the database has answered. */
const fates: Record<Exclude<Outcome, 'duplicate'>, StoredLine | FailedLine> = {
  stored: { kind: 'stored' },
  repeated: { kind: 'repeated' },
  conflicting: {
    kind: 'conflicting',
    refusal: {
      name: 'ResourceConflictError',
      message: 'this Idempotency-Key was used for another payload; nothing was stored',
    },
  },
  unconfirmed: unknown,
  refused: unavailableLine('busy', 'the database did not take the entry; nothing was stored'),
};

/** The same in an application that may have a unique member. */
export const fateOf = (outcome: Outcome, unique?: Unique | null): StoredLine | FailedLine =>
  outcome === 'duplicate' ? duplicateAt(unique?.path ?? '') : fates[outcome];

const duplicateAt = (path: string): FailedLine => ({
  kind: 'duplicate',
  refusal: {
    name: 'ResourceConflictError',
    message: `another payload is stored with this value of ${path}; nothing was stored`,
    details: [{ path, keyword: 'unique', message: 'has a value that another stored payload has' }],
  },
});
