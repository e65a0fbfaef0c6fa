import { BSON, type Document } from 'mongodb';
import type { Catalog, Chunk, Sharded } from './catalog.ts';
import { Failed } from './failures.ts';
import { areNamed, hashOf, type KeyRange, namesOneKey, rangesOf, type ShardKey } from './key-ranges.ts';
import type { Command } from './wire.ts';

/** What a command asks of one sharded collection. */
export interface Target {
  sharded: Sharded;
  /** The names of the fields in conditions, or of the shard key in an insert. */
  shape: string;
  /** Whether the range of shard keys is bounded. */
  isNamed: boolean;
  chunks: Set<Chunk>;
}

const readers: Record<string, string> = {
  find: 'filter',
  count: 'query',
  distinct: 'query',
  findAndModify: 'query',
};
const listOf: Record<string, string> = { insert: 'documents', update: 'updates', delete: 'deletes' };

/** The documents of a command that lists some. Members of the documents stay bytes, but for what a filter or key may be. */
export function listed({ name, body, sequence }: Command): Document[] {
  const field = listOf[name] as string;
  if (sequence?.name !== field) return body[field] ?? [];
  return sequence.documents.map((document) =>
    BSON.deserialize(document, { promoteLongs: false, raw: name === 'insert' }),
  );
}

/** The fields of documents that a filter names. */
function fieldsIn(filter: Document): string[] {
  return Object.entries(filter).flatMap(([name, value]) => {
    if (['$and', '$or', '$nor'].includes(name)) return (value as Document[]).flatMap(fieldsIn);
    // What is behind it users have named.
    return [name.split('.')[0] as string];
  });
}

const shapeOf = (filters: Document[]): string => [...new Set(filters.flatMap(fieldsIn))].sort().join(' ');

/** The conditions that a pipeline begins with. */
function firstMatch(pipeline: Document[]): Document {
  const end = pipeline.findIndex((stage) => !('$match' in stage));
  const leading = pipeline.slice(0, end < 0 ? undefined : end);
  return leading.length === 0 ? {} : { $and: leading.map(({ $match }) => $match) };
}

const keyOf = (document: Document, key: ShardKey) =>
  Object.entries(key).map(([field, kind]) => (kind === 'hashed' ? hashOf(document[field]) : document[field]));

/** MongoDB 6.0 changes one document of a sharded collection only where it is told which shard has it. */
function refuseUnaimed({ name, body }: Command, filter: Document, isSingle: boolean, { key }: Sharded): void {
  if (name === 'findAndModify' && !namesOneKey(filter, key))
    throw new Failed(61, 'Query for sharded findAndModify must contain the shard key');
  const isAimed = namesOneKey(filter, key) || namesOneKey(filter, { _id: 1 });
  if (isSingle && !isAimed)
    throw new Failed(
      72,
      `A single ${name} on sharded ${body[name]} must contain an exact match on _id or the shard key`,
    );
}

export function createTargets(catalog: Catalog) {
  const target = (sharded: Sharded, shape: string, ranges: KeyRange[]): Target => ({
    sharded,
    shape,
    isNamed: areNamed(ranges),
    chunks: catalog.chunksIn(sharded, ranges),
  });
  const byFilter = (sharded: Sharded, filter: Document) =>
    target(sharded, shapeOf([filter]), rangesOf(filter, sharded.key));

  function merged(targets: Target[]): Target[] {
    const byCollection = Map.groupBy(targets, ({ sharded }) => sharded);
    return Array.from(byCollection.values(), (some) => ({
      ...(some[0] as Target),
      shape: [...new Set(some.map(({ shape }) => shape))].join(', '),
      isNamed: some.every(({ isNamed }) => isNamed),
      chunks: new Set(some.flatMap(({ chunks }) => [...chunks])),
    }));
  }

  function ofPipeline(db: string, collection: string, pipeline: Document[]): Target[] {
    const sharded = catalog.of(`${db}.${collection}`);
    const others = pipeline.flatMap(({ $unionWith, $lookup }) => {
      const other = $unionWith ?? $lookup;
      if (!other) return [];
      return ofPipeline(db, other.coll ?? other.from, other.pipeline ?? []);
    });
    return [...(sharded ? [byFilter(sharded, firstMatch(pipeline))] : []), ...others];
  }

  function ofInsert(sharded: Sharded, documents: Document[]): Target {
    const keys = documents.map((document) => keyOf(document, sharded.key));
    if (sharded.isAutomatic) for (const key of keys) catalog.splitFor(sharded, key);
    return target(
      sharded,
      Object.keys(sharded.key).join(' '),
      keys.map((key) => ({ min: key, max: key })),
    );
  }

  /** What a command asks of sharded collections. Throws Failed where `mongos` refuses it. */
  return function targetsOf(command: Command): Target[] {
    const { name, db, body } = command;
    const collection = body[name];
    if (typeof collection !== 'string') return [];
    if (name === 'aggregate') return merged(ofPipeline(db, collection, body.pipeline));
    const sharded = catalog.of(`${db}.${collection}`);
    if (!sharded) return [];
    const field = readers[name];
    if (field) {
      const filter = body[field] ?? {};
      refuseUnaimed(command, filter, false, sharded);
      return [byFilter(sharded, filter)];
    }
    if (name === 'insert') return [ofInsert(sharded, listed(command))];
    if (name !== 'update' && name !== 'delete') return [];
    const all = listed(command);
    for (const { q, multi, upsert, limit } of all)
      refuseUnaimed(command, q, name === 'update' ? !multi || upsert : Number(limit) === 1, sharded);
    return merged(all.map(({ q }) => byFilter(sharded, q)));
  };
}
