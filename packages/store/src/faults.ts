import { DeadlineError } from '@sluice/shared/deadline.ts';
import {
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from 'mongodb';

/** `away`: the operation was not begun. `unknown`: it may or may not have been done. */
export type Fault = 'away' | 'unknown';

/** A write was done, but not acknowledged as it must be: it may yet be lost. */
export class UnconfirmedError extends Error {}

/** MongoDB is away now, but what was sent before may have been done: then nobody is to be told that it was not. */
export function becauseOfBefore(error: unknown): unknown {
  return storeFault(error) === 'away' ? new UnconfirmedError((error as Error).message) : error;
}

/** Not primary, stepped down, shutting down, interrupted, out of time, write concern not reached. */
const passingCodes = new Set([10107, 13435, 11600, 11602, 91, 189, 50, 64, 112, 262]);

/** Whether MongoDB's error code means that the same may succeed a little later. */
export const isPassing = (code: number) => passingCodes.has(code);

/** What an error of the store means for the caller; undefined when it is none of the store's passing faults. */
export function storeFault(error: unknown): Fault | undefined {
  if (error instanceof DeadlineError || error instanceof UnconfirmedError) return 'unknown';
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

/** True when a write was refused because a document with that unique value exists. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11000;
}

const [snapshotTooOld, snapshotUnavailable] = [239, 246];

/** True when MongoDB cannot tell any more, or not yet, how the database was at the moment of a snapshot. */
export function isSnapshotLost(error: unknown): boolean {
  return (
    error instanceof MongoServerError && (error.code === snapshotTooOld || error.code === snapshotUnavailable)
  );
}
