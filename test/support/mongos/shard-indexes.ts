import type { Collection, Document } from 'mongodb';
import { Failed } from './failures.ts';
import type { ShardKey } from './key-ranges.ts';

const text = JSON.stringify;

export const beginsWith = (index: Document, key: ShardKey): boolean => {
  const fields = Object.entries(index);
  return Object.entries(key).every(([field, kind], i) => fields[i]?.[0] === field && fields[i]?.[1] === kind);
};

/** Whether an index can be unique over all shards. The one of `_id` always is there. */
export const mayBeUnique = (index: Document, key: ShardKey): boolean =>
  text(index) === '{"_id":1}' || (beginsWith(index, key) && !Object.values(key).includes('hashed'));

/** Refuses what `mongos` refuses to shard, and makes the index where the collection is empty: then true. */
export async function checkIndexes(collection: Collection, key: ShardKey): Promise<boolean> {
  const found = await collection.listIndexes().toArray();
  for (const index of found)
    if (index.unique && !mayBeUnique(index.key, key))
      throw new Failed(
        72,
        `can't shard collection '${collection.namespace}' with unique index on ${text(index.key)} and proposed shard key ${text(key)}. Uniqueness can't be maintained unless shard key is a prefix`,
      );
  const isUseful = (index: Document) =>
    !index.sparse && !index.partialFilterExpression && beginsWith(index.key, key);
  const isEmpty = (await collection.findOne({}, { projection: { _id: 1 } })) === null;
  if (found.some(isUseful)) return isEmpty;
  if (!isEmpty)
    throw new Failed(
      72,
      'Please create an index that starts with the proposed shard key before sharding the collection.',
    );
  await collection.createIndex(key);
  return true;
}
