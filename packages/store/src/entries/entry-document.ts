import type { Binary } from 'mongodb';
import type { EntryId } from './entry-id.ts';

export interface StoredEntry {
  id: EntryId;
  createdAt: Date;
  payload: Record<string, unknown>;
}

export interface EntryDocument {
  /** The application's id, then the entry's: the order of the collection. */
  _id: Binary;
  payload: Record<string, unknown>;
  /** What a retry of the upload has too; see `NewEntry`. */
  once?: Binary;
}
