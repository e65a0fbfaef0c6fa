import { LRUCache } from 'lru-cache';
import { type Basis, type Feed, hasChanged } from './feed.ts';

/** Something that was read, and what it was made of. */
export interface Read<Value> {
  value: Value;
  basis: Basis;
  size: number;
  /** It is read again after this time. */
  lifeMs?: number;
}

export type Known<Value extends object> = ReturnType<typeof createKnown<Value>>;

/** What was read from MongoDB, until one of the documents that it was made of changes. What was used last stays; `most`: the sum of all sizes. */
export function createKnown<Value extends object>(
  feed: Feed,
  most: number,
  read: (key: string) => Promise<Read<Value> | undefined>,
) {
  const cached = new LRUCache<string, Read<Value>>({
    maxSize: Math.ceil(most),
    sizeCalculation: ({ size }) => size,
  });
  const reading = new Map<string, Promise<Value | undefined>>();
  let changes = 0;

  /** What is being read now may be of before the change: it is not kept. */
  function dropReading(): void {
    changes += 1;
    reading.clear();
  }

  function forgetThose(isGone: (basis: Basis) => boolean): void {
    const gone = [...cached.entries()].filter(([, { basis }]) => isGone(basis));
    for (const [key] of gone) cached.delete(key);
  }

  feed.listen((changed) => {
    // What is being read now is compared with the feed once it is there.
    if (changed) return forgetThose((basis) => hasChanged(basis, changed));
    dropReading();
    cached.clear();
  });

  async function readNow(key: string): Promise<Value | undefined> {
    const before = changes;
    const found = await read(key);
    if (!found) return undefined;
    if (feed.isOutdated(found.basis)) {
      // A new primary may not show yet what another one confirmed.
      await feed.renew();
      return readNow(key);
    }
    if (changes === before) cached.set(key, found, found.lifeMs === undefined ? {} : { ttl: found.lifeMs });
    return found.value;
  }

  function readOnce(key: string): Promise<Value | undefined> {
    const already = reading.get(key);
    if (already) return already;
    const promise = readNow(key).finally(() => reading.delete(key));
    reading.set(key, promise);
    return promise;
  }

  return {
    /** Undefined also if it must be read first. */
    peek: (key: string): Value | undefined => (feed.isCurrent() ? cached.get(key)?.value : undefined),

    /** What was read last, which may have changed since. */
    last: (key: string): Value | undefined => cached.peek(key)?.value,

    /** How `get` will find it: `stale` needs a question to MongoDB first. */
    look: (key: string) => (!cached.has(key) ? 'miss' : feed.isCurrent() ? 'hit' : 'stale'),

    /** Undefined if there is no such thing. Rejects while MongoDB is away. */
    async get(key: string): Promise<Value | undefined> {
      if (!feed.isCurrent()) await feed.current();
      return cached.get(key)?.value ?? readOnce(key);
    },

    /** Reads it again, for what may be newer than what is known. */
    async again(key: string): Promise<Value | undefined> {
      // That one may have begun before.
      await reading.get(key)?.catch(() => {});
      return readOnce(key);
    },

    /** Call when a document with this id has changed. */
    forget(changed: string): void {
      dropReading();
      forgetThose((basis) => basis.some(([id]) => id === changed));
    },
  };
}
