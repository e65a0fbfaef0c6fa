import { createHash, type Hash } from 'node:crypto';

/** The first line of a backup. `startedAt`: ISO 8601. */
export interface Header {
  format: 'sluice-backup';
  version: number;
  startedAt: string;
}

/** The line before the documents of a block, which follow as `bytes` bytes of zstd. */
export interface BlockLine {
  collection: string;
  documents: number;
  bytes: number;
}

export interface CollectionSum {
  documents: number;
  /** The hash of all documents as BSON, in the order of the file, in hexadecimal digits. */
  sha256: string;
}

/** The line after the last block. `at`: the moment of the data, ISO 8601. */
export interface Summary {
  at: string;
  collections: Record<string, CollectionSum>;
}

export const format = 'sluice-backup';
/** Increased if older versions cannot read the files. */
export const version = 1;
/** A block has at most this much BSON, plus one document. */
export const maxBlockBytes = 64 * 1024 ** 2;

export const toLine = (value: object): string => `${JSON.stringify(value)}\n`;
/** The last line: the SHA-256 of all bytes before it. */
export const lastLine = (sha256: string): string => toLine({ sha256 });

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
