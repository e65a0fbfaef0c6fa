import { setTimeout as pause } from 'node:timers/promises';
import type { ClientSession, Db } from 'mongodb';
import { isSnapshotLost } from './faults.ts';

const attempts = 20;
const pauseMs = 100;

/**
 * Calls `read` with a session whose queries all see the moment of the first one. `read` may be called again.
 * The first query must be answered before the next one is sent.
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
