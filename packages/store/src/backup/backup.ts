import type { Db } from 'mongodb';
import type { Balancer } from '../sharding/balancer.ts';
import { type Cluster, ClusterRefusal } from '../sharding/cluster.ts';
import type { Sharding } from '../sharding/shard-collections.ts';
import { type Block, operationsName } from './block.ts';
import { connectedServices } from './connected-services.ts';
import { patiently } from './raw-pages.ts';
import { readDatabase } from './read-database.ts';
import { contents, isHalfRestored, refuseHalfRestored, writeDatabase } from './write-database.ts';

interface BackupNote {
  _id: 'backup';
  finishedAt: Date;
  bytes: number;
  entries: number;
}

interface Dependencies {
  now(): Promise<number>;
  /** Creates the collections and their indexes. */
  prepare(): Promise<void>;
  cluster: Cluster;
  balancer: Balancer;
  sharding: Sharding;
}

/** The database as a whole, for backups. */
export function backupStore(db: Db, { now, prepare, cluster, balancer, sharding }: Dependencies) {
  const notes = db.collection<BackupNote>(operationsName);

  async function refuseShard(): Promise<void> {
    if (await cluster.isShard())
      throw new ClusterRefusal('MONGODB_URL names a shard, which has only a part of the data: name mongos');
  }

  /** Shards the collections while they are empty, so that the restored documents spread over the shards. */
  async function prepareAll(): Promise<void> {
    await prepare();
    if (await cluster.isCluster()) await Array.fromAsync(sharding.shard());
  }

  return {
    /** A shard has only a part of the data. Throws ClusterRefusal. */
    refuseShard,

    /** MongoDB's. */
    now: async () => new Date(await now()),

    /** All blocks of a backup; returns the moment whose data they are. Throws SnapshotLost and ClusterRefusal. */
    async *read(): AsyncGenerator<Block, Date> {
      await refuseShard();
      await refuseHalfRestored(db);
      if (!(await cluster.isCluster())) return yield* readDatabase(db, now);
      // A snapshot of a range that moves is lost.
      const startBalancer = await patiently(() => balancer.rest());
      try {
        return yield* readDatabase(db, now);
      } finally {
        await patiently(startBalancer);
      }
    },

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
    restore: (blocks: AsyncIterable<Block>, startedAt: Date, finish = async () => {}): Promise<void> =>
      writeDatabase(db, { blocks, startedAt, prepare: prepareAll, finish }),
  };
}
