import { DeadlineError, within } from '@sluice/shared/deadline.ts';
import type { ClientSession, Db } from 'mongodb';
import { becauseOfBefore } from '../faults.ts';
import { inTransaction } from '../in-transaction.ts';
import type { Writer } from './writer.ts';

interface Turn {
  session: ClientSession;
  /** The time of an entry; see `createWriter`. Throws when the caller was told that it took too long. */
  now(): number;
}

interface Dependencies {
  db: Db;
  writer: Pick<Writer, 'write'>;
  timeoutMs: number;
  /** Those that get entries; `work` may add some. */
  applications: Iterable<string>;
}

/**
 * Stores entries, and what goes with them, in a transaction of a session of its own, or of one that is given. Rejects when nothing was
 * stored, or the outcome is not known (see `storeFault`). `work` may be called again.
 */
export async function storeInTransaction(
  { db, writer, timeoutMs, applications }: Dependencies,
  work: (turn: Turn) => Promise<void>,
  given?: ClientSession,
): Promise<void> {
  let committing = false;
  let isOver = false;
  const storing = writer.write(
    (now) => {
      // The driver would try again long after the caller was told.
      function nowUnlessOver(): number {
        if (isOver) throw new DeadlineError('nobody waits for this transaction any more');
        return now();
      }
      const make = async (session: ClientSession) => {
        committing = false;
        await work({ session, now: nowUnlessOver });
        committing = true;
      };
      return inTransaction(db, make, given).catch((error) => {
        throw committing ? becauseOfBefore(error) : error;
      });
    },
    { applications },
  );
  try {
    await within(timeoutMs, 'the transaction was not confirmed in time', storing);
  } finally {
    isOver = true;
  }
}
