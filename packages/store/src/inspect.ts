import type { Db, Document } from 'mongodb';
import { operationsName } from './backup/block.ts';
import { missingIndexes } from './indexes.ts';
import { currentVersion, migrations } from './migrations/migrations.ts';
import { ifAllowed } from './rights.ts';

/** A replica set, as far as the user of the URL may see it. */
export interface ReplicaSet {
  /** Members with data; arbiters only vote. */
  members: number;
  arbiters: number;
  /** Whether `w: majority` waits for the journal, unless a write says otherwise. */
  isJournaled: boolean;
}

export type Inspection = ReturnType<typeof inspection>;

/** What `sluice-admin doctor` asks MongoDB. */
export function inspection(db: Db) {
  const operations = db.collection<Document & { _id: string }>(operationsName);

  return {
    version: async (): Promise<string> => (await db.command({ buildInfo: 1 })).version,

    /** Undefined of a server that is in none. */
    async replicaSet(): Promise<ReplicaSet | undefined> {
      const { setName, hosts = [], passives = [], arbiters = [] } = await db.command({ hello: 1 });
      if (!setName) return undefined;
      const { config } = await db.admin().command({ replSetGetConfig: 1 }).catch(ifAllowed);
      const isJournaled = config?.writeConcernMajorityJournalDefault !== false;
      return {
        members: hosts.length + passives.length,
        arbiters: arbiters.length,
        isJournaled,
      };
    },

    /** Writes a note as entries are written; rejects when a majority has not journaled it after `ms`. */
    async writeToMajority(ms: number): Promise<void> {
      const writeConcern = { w: 'majority', journal: true, wtimeoutMS: ms } as const;
      await operations.updateOne(
        { _id: 'doctor' },
        { $currentDate: { at: true } },
        { upsert: true, writeConcern },
      );
    },

    /** In bytes, of the disk with the data, of several the fullest; undefined where MongoDB does not tell. */
    async disk(): Promise<{ used: number; total: number } | undefined> {
      const stats = await db.command({ dbStats: 1 });
      // Of a sharded cluster it has those of each shard.
      const disks = Object.values<Document>(stats.raw ?? [stats]);
      const known = disks.map(({ fsUsedSize: used, fsTotalSize: total }) => ({ used, total }));
      const [fullest] = known
        .filter(({ total }) => total > 0)
        .sort((a, b) => b.used / b.total - a.used / a.total);
      return fullest;
    },

    /** Of the database, and of this Sluice; see `migrate`. */
    async versions(): Promise<{ database: number | undefined; current: number }> {
      const found = await operations.findOne({ _id: 'schema' });
      return { database: found?.version, current: currentVersion(migrations) };
    },

    missingIndexes: () => missingIndexes(db),
  };
}
