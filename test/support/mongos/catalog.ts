import { createHash } from 'node:crypto';
import { Binary, Long, MaxKey, MinKey, ObjectId, UUID } from 'mongodb';
import { compareKeys } from './bson-order.ts';
import type { KeyRange, ShardKey } from './key-ranges.ts';

export interface Chunk {
  id: ObjectId;
  min: unknown[];
  max: unknown[];
  shard: string;
}

export interface Sharded {
  ns: string;
  key: ShardKey;
  unique: boolean;
  uuid: UUID;
  epoch: ObjectId;
  /** Gets a chunk for each application by itself. */
  isAutomatic: boolean;
  /** In the order of keys, without gaps. */
  chunks: Chunk[];
}

export type Catalog = ReturnType<typeof createCatalog>;

const applicationBytes = 12;

/** Which collections are sharded, how, and where their chunks are. `automatic`: by name, in any database. */
export function createCatalog(shards: string[], automatic: Record<string, ShardKey>) {
  const collections = new Map<string, Sharded>();
  const first = shards[0] as string;

  const chunk = (min: unknown[], max: unknown[], shard: string): Chunk => ({
    id: new ObjectId(),
    min,
    max,
    shard,
  });

  function initialChunks(key: ShardKey, isEmpty: boolean): Chunk[] {
    const fields = Object.values(key);
    const [lowest, highest] = [fields.map(() => new MinKey()), fields.map(() => new MaxKey())];
    if (fields[0] !== 'hashed' || !isEmpty) return [chunk(lowest, highest, first)];
    const count = 2n * BigInt(shards.length);
    const bounds = Array.from({ length: Number(count) - 1 }, (_, i) => [
      Long.fromBigInt(-(2n ** 63n) + (BigInt(i + 1) * 2n ** 64n) / count),
      ...lowest.slice(1),
    ]);
    return [lowest, ...bounds].map((min, i) =>
      chunk(min, bounds[i] ?? highest, shards[Math.floor(i / 2)] as string),
    );
  }

  function add(
    ns: string,
    key: ShardKey,
    options: { unique?: boolean; isEmpty?: boolean; isAutomatic?: boolean } = {},
  ) {
    const { unique = false, isEmpty = true, isAutomatic = false } = options;
    const made = { ns, key, unique, isAutomatic, uuid: new UUID(), epoch: new ObjectId() };
    const sharded: Sharded = { ...made, chunks: initialChunks(key, isEmpty) };
    collections.set(ns, sharded);
    return sharded;
  }

  /** Undefined of a collection that is not sharded. */
  function of(ns: string): Sharded | undefined {
    const [db = '', ...rest] = ns.split('.');
    const key = automatic[rest.join('.')];
    const isOwn = ['admin', 'config', 'local'].includes(db);
    return collections.get(ns) ?? (key && !isOwn ? add(ns, key, { isAutomatic: true }) : undefined);
  }

  /** The index of the chunk that has a key. */
  function indexOf({ chunks }: Sharded, key: unknown[]): number {
    let [low, high] = [0, chunks.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (compareKeys((chunks[middle] as Chunk).min, key) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  const chunkOf = (sharded: Sharded, key: unknown[]) => sharded.chunks[indexOf(sharded, key)] as Chunk;

  function split(sharded: Sharded, middle: unknown[], shard?: string): void {
    const at = indexOf(sharded, middle);
    const whole = sharded.chunks[at] as Chunk;
    sharded.chunks.splice(at, 1, { ...whole, max: middle }, chunk(middle, whole.max, shard ?? whole.shard));
  }

  return {
    shards,
    collections,
    add,
    of,
    chunkOf,
    split,

    drop: (ns: string) => collections.delete(ns),
    dropDatabase(db: string): void {
      for (const ns of collections.keys()) if (ns.startsWith(`${db}.`)) collections.delete(ns);
    },

    /** What a key begins with that is stored now: each application gets a chunk of its own, on the shard that has its other chunks. */
    splitFor(sharded: Sharded, [value, ...rest]: unknown[]): void {
      const application = applicationIn(value);
      if (!application) return;
      const middle = [startOf(value, application), ...rest.map(() => new MinKey())];
      if (compareKeys(chunkOf(sharded, middle).min, middle) === 0) return;
      const number = createHash('md5').update(application).digest()[0] as number;
      split(sharded, middle, shards[number % shards.length]);
    },

    /** The chunks that have keys of the ranges. */
    chunksIn(sharded: Sharded, ranges: KeyRange[]): Set<Chunk> {
      const found = new Set<Chunk>();
      for (const { min, max } of ranges)
        for (let at = indexOf(sharded, min), last = indexOf(sharded, max); at <= last; at++)
          found.add(sharded.chunks[at] as Chunk);
      return found;
    },
  };
}

function applicationIn(value: unknown): Buffer | undefined {
  if (value instanceof ObjectId) return Buffer.from(value.id);
  if (value instanceof Binary && value.position > applicationBytes)
    return Buffer.from(value.value().subarray(0, applicationBytes));
  return undefined;
}

/** The lowest key of the application that is as long: MongoDB compares lengths first. */
function startOf(value: unknown, application: Buffer): unknown {
  if (!(value instanceof Binary)) return value;
  return new Binary(Buffer.concat([application], value.position));
}
