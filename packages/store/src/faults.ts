import { DeadlineError } from '@sluice/shared/deadline.ts';
import {
  MongoBulkWriteError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
  type WriteError,
} from 'mongodb';

/** `away`: the operation was not begun. `unknown`: it may or may not have been done. */
export type Fault = 'away' | 'unknown';

/** A write was done, but not acknowledged as it must be: it may yet be lost. */
export class UnconfirmedError extends Error {}

/** MongoDB is away, but an earlier command may have been done: do not tell the caller that it was not. */
export function becauseOfBefore(error: unknown): unknown {
  return storeFault(error) === 'away' ? new UnconfirmedError((error as Error).message) : error;
}

/** Not primary, stepped down, shutting down, interrupted, out of time, write concern not reached. */
const ofMembers = [10107, 13435, 11600, 11601, 11602, 91, 189, 50, 64, 112, 262];
/** What `mongos` says: a shard is not reached, has no primary, is slow, or its chunks move all the time. */
const ofMongos = [6, 7, 82, 89, 133, 202, 13388];
const passingCodes = new Set([...ofMembers, ...ofMongos]);

/** Whether MongoDB's error code means that a later try may succeed. */
export const isPassing = (code: number) => passingCodes.has(code);

/** What a passing fault of the store means for the caller; undefined for other errors. */
export function storeFault(error: unknown): Fault | undefined {
  if (error instanceof DeadlineError || error instanceof UnconfirmedError) return 'unknown';
  if (error instanceof MongoBulkWriteError) return bulkFault(error);
  if (
    error instanceof MongoServerSelectionError ||
    error instanceof MongoNotConnectedError ||
    error instanceof MongoTopologyClosedError ||
    (error as Error).name === 'MongoWaitQueueTimeoutError'
  ) {
    return 'away';
  }
  if (
    error instanceof MongoNetworkError ||
    error instanceof MongoWriteConcernError ||
    (error instanceof MongoServerError &&
      (error.hasErrorLabel('RetryableWriteError') || isPassing(error.code as number)))
  ) {
    return 'unknown';
  }
  return undefined;
}

/** The driver wraps what ended a bulk write, and lists what some of its writes came to. */
function bulkFault({ code, errorResponse, writeErrors }: MongoBulkWriteError): Fault | undefined {
  const cause: unknown = errorResponse;
  if (cause instanceof Error) return storeFault(cause);
  const codes = [code as number, ...[writeErrors].flat().map((each) => each.code)];
  return codes.some(isPassing) ? 'unknown' : undefined;
}

/** The code of a write that was refused because a document with that unique value exists. */
export const duplicateKey = 11000;

/** Which writes of an unordered command met a document with the same unique value. Throws the error if it is another one. */
export function duplicatesIn(error: unknown): number[] {
  const errors: WriteError[] = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  if (errors.length === 0 || errors.some(({ code }) => code !== duplicateKey)) throw error;
  return errors.map(({ index }) => index);
}

/** MongoDB's error code where a new collection has the name of another. */
export const namespaceExists = 48;

/** True when a write was refused because a document with that unique value exists. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === duplicateKey;
}

/** Too old, not available yet; on a sharded cluster also: its chunk has moved since, or moves now. */
const snapshotLost = new Set([239, 246, 250, 272]);

/** True when MongoDB cannot tell any more, or not yet, how the database was at the moment of a snapshot. */
export function isSnapshotLost(error: unknown): boolean {
  return error instanceof MongoServerError && snapshotLost.has(error.code as number);
}
