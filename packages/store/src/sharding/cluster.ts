import { Binary, type Db, type Document, MongoServerError, type UUID } from 'mongodb';
import { storeFault } from '../faults.ts';
import { ignoreAbsence } from '../indexes.ts';
import { isCluster } from '../is-cluster.ts';
import { ifAllowed, unauthorized } from '../rights.ts';
import type { ShardKey } from './collections.ts';

/** MongoDB refuses a command for clusters. The message says what to do. */
export class ClusterRefusal extends Error {}

interface CollectionRecord {
  _id: string;
  key: ShardKey;
  uuid: UUID;
  /** MongoDB 8 lists collections here that lie whole on one shard. */
  unsplittable?: boolean;
}

async function asked<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof MongoServerError) || storeFault(error)) throw error;
    throw new ClusterRefusal(
      error.code === unauthorized
        ? `MongoDB does not allow ${what}: give the user of MONGODB_URL the role clusterManager`
        : `MongoDB refused ${what}: ${error.message}`,
    );
  }
}

const isId = (key: Document) => JSON.stringify(key) === '{"_id":1}';

/** Whether an index can find documents by a shard key. */
function beginsWith(index: Document, key: ShardKey): boolean {
  const fields = Object.entries(index);
  return Object.entries(key).every(([name, kind], at) => fields[at]?.[0] === name && fields[at][1] === kind);
}

const mayBeUnique = (index: Document, key: ShardKey) =>
  beginsWith(index, key) && !Object.values(key).includes('hashed');

export type Cluster = ReturnType<typeof clusterStore>;

/** What `mongos` is asked about the cluster. Throws ClusterRefusal. */
export function clusterStore(db: Db) {
  const admin = db.client.db('admin');
  const config = db.client.db('config');
  const name = (collection: string) => `${db.databaseName}.${collection}`;
  const administer = (command: Document) =>
    asked(String(Object.keys(command)[0]), () => admin.command(command));

  const recordOf = (collection: string) =>
    asked('to read the collection `config.collections`', () =>
      config
        .collection<CollectionRecord>('collections')
        .findOne({ _id: name(collection), unsplittable: { $ne: true } }),
    );

  const indexesOf = (collection: string): Promise<Document[]> =>
    db.collection(collection).listIndexes().toArray().catch(ignoreAbsence);

  return {
    isCluster: () => isCluster(db),

    /** Whether the store is a member of a shard, which has only a part of the data. */
    isShard: async (): Promise<boolean> =>
      !(await isCluster(db)) && (await admin.command({ shardingState: 1 }).catch(ifAllowed)).enabled === true,

    shards: async (): Promise<string[]> =>
      (await administer({ listShards: 1 })).shards.map(({ _id }: { _id: string }) => _id),

    async enable(): Promise<void> {
      await administer({ enableSharding: db.databaseName });
    },

    /** Undefined of a collection that is not sharded. */
    keyOf: async (collection: string): Promise<ShardKey | undefined> => (await recordOf(collection))?.key,

    /** Names of the unique indexes that MongoDB cannot keep on a collection with this shard key. */
    async indexesAgainst(collection: string, key: ShardKey): Promise<string[]> {
      const found = await indexesOf(collection);
      return found
        .filter(({ unique, key: fields }) => unique && !isId(fields) && !mayBeUnique(fields, key))
        .map((index) => index.name);
    },

    async dropIndex(collection: string, index: string): Promise<void> {
      await db.collection(collection).dropIndex(index);
    },

    async shard(collection: string, key: ShardKey): Promise<void> {
      const found = await indexesOf(collection);
      const isUseful = (index: Document) =>
        !index.sparse && !index.partialFilterExpression && beginsWith(index.key, key);
      if (!found.some(isUseful)) await db.collection(collection).createIndex(key);
      await administer({ shardCollection: name(collection), key });
    },

    /** Where ranges of a collection begin that is sharded by a binary `_id`; in hexadecimal digits. */
    async bounds(collection: string): Promise<Set<string>> {
      const record = await recordOf(collection);
      if (!record) return new Set();
      return asked('to read the collection `config.chunks`', async () => {
        const bounds = new Set<string>();
        const found = config
          .collection<{ min: Document }>('chunks')
          .find({ uuid: record.uuid }, { projection: { min: 1 } });
        for await (const { min } of found) if (min._id instanceof Binary) bounds.add(min._id.toString('hex'));
        return bounds;
      });
    },

    async split(collection: string, at: Binary): Promise<void> {
      await administer({ split: name(collection), middle: { _id: at } });
    },

    /** Since version 7 MongoDB joins neighbouring ranges of a shard again, unless it is told not to. */
    async keepSplits(collection: string): Promise<void> {
      const { versionArray } = await db.command({ buildInfo: 1 });
      if (versionArray[0] >= 7)
        await administer({ configureCollectionBalancing: name(collection), enableAutoMerger: false });
    },

    isBalancing: async (): Promise<boolean> => (await administer({ balancerStatus: 1 })).mode === 'full',

    /** Resolves when nothing moves any more. */
    async stopBalancer(): Promise<void> {
      await administer({ balancerStop: 1 });
    },

    async startBalancer(): Promise<void> {
      await administer({ balancerStart: 1 });
    },
  };
}
