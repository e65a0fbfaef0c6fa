import { Binary, type ClientSession, type Db, ObjectId } from 'mongodb';
import { isDuplicate } from '../faults.ts';
import type { EntryStore, NewEntry } from './entries.ts';
import { storeInTransaction } from './store-in-transaction.ts';
import type { Writer } from './writer.ts';

/** One batch that came with an idempotency key. */
export interface BatchRecord {
  /** 16 bytes, the same for every retry. */
  idempotencyHash: Buffer;
  application: string;
  /** Of what was sent: a retry must be the same. */
  hash: Buffer;
}

interface BatchDocument {
  _id: Binary;
  application: ObjectId;
  hash: Binary;
  createdAt: Date;
  /** Of a batch of which only replays have stored lines: how many replays did. */
  replays?: number;
}

/**
 * `first`: the key was not known. `again`: the same batch came before. `partly`: it was refused, and replays have stored some of its lines.
 * `other`: another batch has the key.
 */
export type Known = 'first' | 'again' | 'partly' | 'other';

/** The state of a batch's key. `replays` is there only if the batch is stored in part. */
export interface KnownBatch {
  known: Known;
  replays?: number | undefined;
}

/** A replay stored another line of the batch. */
class Changed extends Error {}

export type BatchStore = ReturnType<typeof batchStore>;

/** Remembers batches with an idempotency key for as long as their application lives. */
export function batchStore(db: Db, entries: EntryStore, writer: Pick<Writer, 'write'>, timeoutMs: number) {
  const batches = db.collection<BatchDocument>('batches');

  async function insert(
    { idempotencyHash, application, hash }: BatchRecord,
    { session, replays }: { session?: ClientSession; replays?: number } = {},
  ): Promise<void> {
    const document = {
      _id: new Binary(idempotencyHash),
      application: new ObjectId(application),
      hash: new Binary(hash),
      createdAt: new Date(),
      ...(replays && { replays }),
    };
    await batches.insertOne(document, session && { session });
  }

  async function lookUp(
    { idempotencyHash, hash }: BatchRecord,
    session?: ClientSession,
  ): Promise<KnownBatch> {
    const found = await batches.findOne({ _id: new Binary(idempotencyHash) }, session && { session });
    if (!found) return { known: 'first' };
    if (!hash.equals(found.hash.buffer)) return { known: 'other' };
    const { replays } = found;
    return replays === undefined ? { known: 'again' } : { known: 'partly', replays };
  }

  /** Records a batch that is stored as a whole. Throws Changed if a replay stored a line since it was looked up. */
  async function finish(record: BatchRecord, replays: number | undefined, session: ClientSession) {
    if (replays === undefined) return insert(record, { session });
    const seen = { _id: new Binary(record.idempotencyHash), replays };
    const { matchedCount } = await batches.updateOne(seen, { $unset: { replays: '' } }, { session });
    if (matchedCount === 0) throw new Changed();
  }

  /** An insert that failed on a key that is there now: someone with the same key was quicker. */
  async function unlessKnown(record: BatchRecord | undefined, error: unknown): Promise<Known> {
    // Where it cannot be looked up, what happened first is what the caller is told.
    const { known } = (record && (await lookUp(record).catch(() => undefined))) ?? {
      known: 'first' as const,
    };
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
     * Reserves the key for the batch, in the transaction of a replay that stores one of its lines. Returns `first` if the line may be stored,
     * `again` if the whole batch is stored, and `other` if another batch has the key.
     */
    async reserve(record: BatchRecord, atomic: boolean, session: ClientSession): Promise<Known> {
      const { known } = await lookUp(record, session);
      if (known === 'first') await insert(record, { session, replays: 1 });
      // Makes a transaction begin again that stores the whole batch meanwhile.
      if (known === 'partly')
        await batches.updateOne(
          { _id: new Binary(record.idempotencyHash) },
          { $inc: { replays: 1 } },
          { session },
        );
      // Lines of a batch that is not atomic have keys of their own.
      return known === 'other' || (known === 'again' && atomic) ? known : 'first';
    },

    /**
     * Stores all entries and the record in one transaction, unless the key is known; `replays` as it was looked up. `chunks` may be called
     * again. Rejects when nothing was stored, or the outcome is not known (see `storeFault`).
     */
    async storeAll(
      chunks: () => AsyncIterable<NewEntry[]>,
      record?: BatchRecord,
      replays?: number,
    ): Promise<Known> {
      try {
        await storeInTransaction({ db, writer, timeoutMs }, async ({ session, now }) => {
          for await (const chunk of chunks()) await entries.insertWithin(chunk, now(), session);
          // Last: a transaction that is left lying holds its locks for a minute, and a retry would wait for this one.
          if (record) await finish(record, replays, session);
        });
        return 'first';
      } catch (error) {
        if (error instanceof Changed) return 'partly';
        const known = await unlessKnown(record, error);
        // It was so before: the error has another cause.
        if (known === 'partly' && replays !== undefined) throw error;
        return known;
      }
    },
  };
}
