import type { EntryFields } from '@sluice/bson/write-entries.ts';
import type { Binary } from 'mongodb';
import type { EntryId } from './entry-id.ts';

export interface StoredEntry {
  id: EntryId;
  createdAt: Date;
  payload: Record<string, unknown>;
  /** Of the schema with which it was validated. */
  version: number;
  /** When it was refused first, if it was. */
  receivedAt?: Date;
  /** Number of who sent it; absent: a single upload without a key. See `senderStore`. */
  by?: number;
}

export interface EntryDocument {
  /** The application's id, then the entry's: the order of the collection. */
  _id: Binary;
  payload: Record<string, unknown>;
  /** The hashes of `NewEntry`: one, or an array of two. Lines of a batch have that of their key only from a retry or a replay. */
  once?: Binary | Binary[];
  /** Hash of what the client sent, where a replay changed it. */
  sent?: Binary;
  /** Of the schema; absent where it is the first. */
  version?: number;
  /** When it was refused first, if it was. */
  receivedAt?: Date;
  /** Of an import with times of its own: the version of the application in `deletions` that announced it. */
  announced?: number;
  /** See `StoredEntry`. 8 bytes. */
  by?: number;
}

/** An entry as it goes to MongoDB. */
export interface Prepared extends EntryFields<Binary> {
  json: Buffer;
  /** See `NewEntry`. */
  once?: Buffer[] | undefined;
  valueSince?: number | undefined;
}

/** The hashes of a stored entry, in hexadecimal digits. */
export const hashesIn = ({ once }: Pick<EntryDocument, 'once'>): string[] =>
  [once ?? []].flat().map((hash) => hash.toString('hex'));
