import type { Document } from 'mongodb';
import type { Command } from './wire.ts';

/** Errors of members that change their state. `mongos` says instead that it does not reach the shard. */
const ofState = new Set([10107, 13435, 13436, 10058, 11600, 11602, 91, 189]);

const rewriteOne = <T extends Document>(error: T): T =>
  ofState.has(Number(error.code))
    ? { ...error, code: 6, ...('codeName' in error && { codeName: 'HostUnreachable' }) }
    : error;

/** An answer of a member as `mongos` passes it on. */
export function passedOn(answer: Document): Document {
  const { writeErrors, writeConcernError } = answer;
  return {
    ...(answer.ok ? answer : rewriteOne(answer)),
    ...(writeErrors && { writeErrors: writeErrors.map(rewriteOne) }),
    ...(writeConcernError && { writeConcernError: rewriteOne(writeConcernError) }),
  };
}

/** Larger ones have documents, and no errors. */
const mostBytes = 4_096;
const marks = ['code', 'writeErrors', 'writeConcernError'].map((name) => Buffer.from(`${name}\0`));

/** Whether there may be an error in an answer. */
export const mayHaveFailed = (message: Buffer): boolean =>
  message.length <= mostBytes && marks.some((mark) => message.includes(mark));

/** Whether a member says that it is no primary any more. */
export const isOfState = ({ ok, code }: Document): boolean => !ok && ofState.has(Number(code));

/** The labels of a command whose answer is lost. */
export function labelsOfLost({ name, body }: Command): string[] {
  if (body.autocommit === false && name !== 'commitTransaction') return ['TransientTransactionError'];
  return 'txnNumber' in body ? ['RetryableWriteError'] : [];
}
