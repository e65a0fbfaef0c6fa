import { Binary, type ClientSession, type Db, ObjectId } from 'mongodb';
import { isDuplicate } from '../faults.ts';
import type { EntryStore, NewEntry } from './entries.ts';
import { storeInTransaction } from './store-in-transaction.ts';
import type { Writer } from './writer.ts';

/** One batch that came with an idempotency key. */
export interface BatchRecord {
  /** 16 bytes, the same for every retry. */
  once: Buffer;
  application: string;
  /** Of what was sent: a retry must be the same. */
  hash: Buffer;
}

interface BatchDocument {
  _id: Binary;
  application: ObjectId;
  hash: Binary;
  createdAt: Date;
}

/** `first`: the key was not known. `again`: the same batch came before. `other`: another one had the key. */
export type Known = 'first' | 'again' | 'other';

/** The key of a line was used for another payload. */
class UsedKey extends Error {}

export type BatchStore = ReturnType<typeof batchStore>;

/** Remembers batches with an idempotency key for as long as their application lives. */
export function batchStore(db: Db, entries: EntryStore, writer: Writer, timeoutMs: number) {
  const batches = db.collection<BatchDocument>('batches');

  async function insert({ once, application, hash }: BatchRecord, session?: ClientSession): Promise<void> {
    const document = {
      _id: new Binary(once),
      application: new ObjectId(application),
      hash: new Binary(hash),
      createdAt: new Date(),
    };
    await batches.insertOne(document, session && { session });
  }

  /** Whether the key of a batch is known. */
  async function lookUp({ once, hash }: BatchRecord): Promise<Known> {
    const found = await batches.findOne({ _id: new Binary(once) });
    if (!found) return 'first';
    return hash.equals(found.hash.buffer) ? 'again' : 'other';
  }

  /** An insert that failed on a key that is there now: someone with the same key was quicker. */
  async function unlessKnown(record: BatchRecord | undefined, error: unknown): Promise<Known> {
    // Where it cannot be looked up, what happened first is what the caller is told.
    const known = record ? await lookUp(record).catch(() => 'first' as const) : 'first';
    if (known === 'first') throw error;
    return known;
  }

  return {
    /** Records the batch, unless its key is known. */
    async record(record: BatchRecord): Promise<Known> {
      try {
        await insert(record);
        return 'first';
      } catch (error) {
        if (isDuplicate(error)) return unlessKnown(record, error);
        throw error;
      }
    },

    lookUp,

    /**
     * Stores the record and all entries whose `once` is new, in one transaction. Stores nothing if the batch's key is known, or if a line's
     * key was used for another payload. `chunks` may be called again. Rejects when nothing was stored, or the outcome is not known (see
     * `storeFault`).
     */
    async storeAll(chunks: () => AsyncIterable<NewEntry[]>, record?: BatchRecord): Promise<Known> {
      try {
        await storeInTransaction({ db, writer, timeoutMs }, async ({ session, now }) => {
          for await (const chunk of chunks()) {
            const outcomes = await entries.insertWithin(chunk, now(), session);
            if (outcomes.includes('conflicting')) throw new UsedKey();
          }
          // Last: a transaction that is left lying holds its locks for a minute, and a retry would wait for this one.
          if (record) await insert(record, session);
        });
        return 'first';
      } catch (error) {
        return error instanceof UsedKey ? 'other' : unlessKnown(record, error);
      }
    },
  };
}
