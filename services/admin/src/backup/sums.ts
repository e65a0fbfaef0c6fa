import { createHash, type Hash } from 'node:crypto';
import type { CollectionSum } from './format.ts';

/** Counts and hashes the documents of each collection. */
export function createSums() {
  const sums = new Map<string, { documents: number; hash: Hash }>();
  return {
    add(collection: string, documents: number, bson: Buffer): void {
      const sum = sums.get(collection) ?? { documents: 0, hash: createHash('sha256') };
      sum.documents += documents;
      sum.hash.update(bson);
      sums.set(collection, sum);
    },

    /** Call it only once. */
    digest: (): Record<string, CollectionSum> =>
      Object.fromEntries(
        Array.from(sums, ([collection, { documents, hash }]) => [
          collection,
          { documents, sha256: hash.digest('hex') },
        ]),
      ),
  };
}
