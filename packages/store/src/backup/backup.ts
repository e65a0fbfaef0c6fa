import type { Db } from 'mongodb';
import { type Block, operationsName } from './block.ts';
import { connectedServices } from './connected-services.ts';
import { readDatabase } from './read-database.ts';
import { contents, isHalfRestored, refuseHalfRestored, writeDatabase } from './write-database.ts';

interface BackupNote {
  _id: 'backup';
  finishedAt: Date;
  bytes: number;
  entries: number;
}

/** The database as a whole, for backups. */
export function backupStore(db: Db, { now, prepare }: { now(): Promise<number>; prepare(): Promise<void> }) {
  const notes = db.collection<BackupNote>(operationsName);

  return {
    /** MongoDB's. */
    now: async () => new Date(await now()),

    /** All blocks of a backup; returns the moment whose data they are. Throws SnapshotLost. */
    async *read(): AsyncGenerator<Block, Date> {
      await refuseHalfRestored(db);
      return yield* readDatabase(db, now);
    },

    /** Throws HalfRestored. */
    refuseHalfRestored: () => refuseHalfRestored(db),

    /** Notes a backup that is complete. */
    async note({ bytes, entries }: { bytes: number; entries: number }): Promise<void> {
      const finishedAt = new Date(await now());
      await notes.replaceOne({ _id: 'backup' }, { finishedAt, bytes, entries }, { upsert: true });
    },

    /** When the last backup that succeeded ended; undefined when there was none. */
    async lastAt(): Promise<Date | undefined> {
      return (await notes.findOne({ _id: 'backup' }))?.finishedAt;
    },

    /** The name of the database, and about how many documents each collection has that is not empty. */
    contents: async () => ({ database: db.databaseName, collections: await contents(db) }),

    /** The services that use the database. While it holds only part of a backup they just wait, so there are none. */
    services: async (): Promise<string[]> => ((await isHalfRestored(db)) ? [] : connectedServices(db)),

    /** See `writeDatabase`. */
    restore: (blocks: AsyncIterable<Block>, startedAt: Date): Promise<void> =>
      writeDatabase(db, { blocks, startedAt, prepare }),
  };
}
