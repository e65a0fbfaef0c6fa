import { type Document, Long, type MongoClient } from 'mongodb';
import { compareKeys } from './bson-order.ts';
import type { Catalog, Chunk, Sharded } from './catalog.ts';
import { Failed } from './failures.ts';
import { hashOf, type ShardKey } from './key-ranges.ts';
import { checkIndexes } from './shard-indexes.ts';

const text = JSON.stringify;
const namespaceExists = 48;

/** Whether the balancer runs. */
export interface Balancer {
  mode: 'full' | 'off';
}

/** The commands of an operator that shards, as `mongos` 6.0 answers them. All are of the database `admin`. */
export function shardingCommands(catalog: Catalog, own: MongoClient, balancer: Balancer) {
  function shardedAs(ns: string): Sharded {
    const sharded = catalog.of(ns);
    if (!sharded) throw new Failed(118, `Collection ${ns} is not sharded`);
    return sharded;
  }

  /** A key in the order of the shard key's fields, hashed where it is. `split` takes hashes as they are. */
  function keyIn({ key }: Sharded, document: Document, isHashed: boolean): unknown[] {
    const fields = Object.keys(key);
    if (fields.some((field) => !(field in document)))
      throw new Failed(96, `no shard key found in chunk query ${text(document)}`);
    return fields.map((field) =>
      key[field] === 'hashed' && !isHashed ? hashOf(document[field]) : document[field],
    );
  }

  function chunkAt(sharded: Sharded, { find, bounds }: Document): Chunk {
    if (find) return catalog.chunkOf(sharded, keyIn(sharded, find, false));
    const [min, max] = (bounds as Document[]).map((bound) => keyIn(sharded, bound, true)) as [
      unknown[],
      unknown[],
    ];
    const chunk = catalog.chunkOf(sharded, min);
    if (compareKeys(chunk.min, min) !== 0 || compareKeys(chunk.max, max) !== 0)
      throw new Failed(96, `no chunk found with the shard key bounds ${text(bounds)}`);
    return chunk;
  }

  return {
    enableSharding: async () => ({ ok: 1 }),

    async shardCollection({ shardCollection: ns, key, unique = false }: Document) {
      const shardKey = key as ShardKey;
      const there = catalog.collections.get(ns);
      if (there && text(there.key) !== text(shardKey))
        throw new Failed(23, `sharding already enabled for collection ${ns} with another shard key`);
      if (Object.values(shardKey).includes('hashed') && unique)
        throw new Failed(72, 'Hashed shard keys cannot be declared unique.');
      if (!there) {
        const [db, ...rest] = ns.split('.');
        const collection = own.db(db).collection(rest.join('.'));
        await own
          .db(db)
          .createCollection(rest.join('.'))
          .catch((error) => {
            if (error.code !== namespaceExists) throw error;
          });
        const isEmpty = await checkIndexes(collection, shardKey);
        catalog.add(ns, shardKey, { unique, isEmpty });
      }
      return { collectionsharded: ns, ok: 1 };
    },

    async split({ split: ns, middle }: Document) {
      const sharded = shardedAs(ns);
      if (!middle) throw new Failed(96, 'need to specify find/bounds or middle');
      const key = keyIn(sharded, middle, true);
      const { min, max } = catalog.chunkOf(sharded, key);
      if (compareKeys(min, key) === 0 || compareKeys(max, key) === 0)
        throw new Failed(96, `new split key ${text(middle)} is a boundary key of existing chunk`);
      catalog.split(sharded, key);
      return { ok: 1 };
    },

    async moveChunk({ moveChunk: ns, to, ...which }: Document) {
      if (!catalog.shards.includes(to)) throw new Failed(70, `Shard ${to} not found`);
      chunkAt(shardedAs(ns), which).shard = to;
      return { millis: 1, ok: 1 };
    },

    async balancerStart() {
      balancer.mode = 'full';
      return { ok: 1 };
    },
    async balancerStop() {
      balancer.mode = 'off';
      return { ok: 1 };
    },
    balancerStatus: async () => ({
      mode: balancer.mode,
      inBalancerRound: false,
      numBalancerRounds: Long.fromNumber(1),
      ok: 1,
    }),
    listShards: async () => ({
      shards: catalog.shards.map((_id) => ({ _id, host: `${_id}/127.0.0.1:0`, state: 1 })),
      ok: 1,
    }),
  } as Record<string, (body: Document) => Promise<Document>>;
}
