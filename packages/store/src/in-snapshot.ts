import { setTimeout as pause } from 'node:timers/promises';
import type { ClientSession, Db } from 'mongodb';
import { isSnapshotLost } from './faults.ts';

const attempts = 20;
const pauseMs = 100;

/**
 * What is read in the session is as of one moment: that of the first query, which must be answered before the next one is sent. `read`
 * may be called again.
 */
export async function inSnapshot<T>(db: Db, read: (session: ClientSession) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.client.withSession({ snapshot: true }, read);
    } catch (error) {
      // A collection or an index was just made: the next moment has it.
      if (!isSnapshotLost(error) || attempt === attempts) throw error;
      await pause(pauseMs);
    }
  }
}
