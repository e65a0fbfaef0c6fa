import { type Document, type MongoClient, Timestamp } from 'mongodb';
import type { Catalog, Sharded } from './catalog.ts';
import type { Balancer } from './sharding-commands.ts';

const version = new Timestamp({ t: 1, i: 1 });

const keyed = ({ key }: Sharded, values: unknown[]): Document =>
  Object.fromEntries(Object.keys(key).map((field, i) => [field, values[i]]));

/** The documents of `config`, as MongoDB 6.0 has them. */
function documentsOf({ shards, collections }: Catalog, { mode }: Balancer): Record<string, Document[]> {
  const all = [...collections.values()];
  const [primary] = shards;
  const databases = new Set(all.map(({ ns }) => ns.slice(0, ns.indexOf('.'))));
  return {
    shards: shards.map((_id) => ({ _id, host: `${_id}/127.0.0.1:0`, state: 1, topologyTime: version })),
    databases: [...databases].map((_id) => ({ _id, primary, partitioned: false, version: { lastMod: 1 } })),
    collections: all.map(({ ns: _id, key, unique, uuid, epoch: lastmodEpoch }) => ({
      _id,
      lastmodEpoch,
      lastmod: new Date(),
      timestamp: version,
      uuid,
      key,
      unique,
    })),
    chunks: all.flatMap((sharded) =>
      sharded.chunks.map(({ id: _id, min, max, shard }) => ({
        _id,
        uuid: sharded.uuid,
        min: keyed(sharded, min),
        max: keyed(sharded, max),
        shard,
        lastmod: version,
        history: [{ validAfter: version, shard }],
      })),
    ),
    settings: [
      { _id: 'balancer', mode, stopped: mode === 'off' },
      { _id: 'chunksize', value: 128 },
    ],
  };
}

/** Lets MongoDB itself answer questions to `config`: they go to a database of this name, with what the catalog has now. */
export function configDatabase(own: MongoClient, name: string, catalog: Catalog, balancer: Balancer) {
  let writing = Promise.resolve();

  async function write(): Promise<void> {
    for (const [collection, documents] of Object.entries(documentsOf(catalog, balancer))) {
      const target = own.db(name).collection(collection);
      await target.deleteMany({});
      if (documents.length > 0) await target.insertMany(documents);
    }
  }

  return {
    name,
    update(): Promise<void> {
      writing = writing.catch(() => {}).then(write);
      return writing;
    },
    drop: () => own.db(name).dropDatabase(),
  };
}
