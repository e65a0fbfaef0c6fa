import { Binary, type ClientSession, type Db, ObjectId } from 'mongodb';
import { isDuplicate, UnconfirmedError } from '../faults.ts';
import type { EntryStore, NewEntry } from './entries.ts';
import { keyFrom, timeOfKey } from './entry-id.ts';
import { type HorizonStore, placesMs } from './horizon.ts';
import { storeInTransaction } from './store-in-transaction.ts';
import type { Writer } from './writer.ts';

/** One batch that came with an idempotency key. */
export interface BatchRecord {
  /** 16 bytes, the same for every retry. */
  idempotencyHash: Buffer;
  application: string;
  /** Hash of the sent body: a retry must send the same. */
  hash: Buffer;
  /** See `EntryDocument`. */
  by?: number | undefined;
}

export interface BatchDocument {
  _id: Binary;
  application: ObjectId;
  hash: Binary;
  /** The place of the first line, where each line is stored for itself. */
  first?: Binary;
  createdAt: Date;
  /** Number of replays that stored lines, if only replays did. */
  replays?: number;
  /** The number of its sender; set together with `isDecided`. */
  by?: number;
  /** Each line is stored, or was refused for its content. */
  isDecided?: true;
}

/**
 * `first`: the key was not known. `again`: the same batch came before. `partly`: it was refused, and replays have stored some of its lines.
 * `other`: another batch has the key.
 */
export type KnownKey = 'first' | 'again' | 'partly' | 'other';

/** The state of a batch's key. Only a batch that is stored in part has `replays`; only one with places for its lines has `first`. */
export interface KnownBatch {
  known: KnownKey;
  replays?: number | undefined;
  first?: Binary | undefined;
}

/** How the lines of a batch are stored, each for itself. */
export interface LinesTurn {
  stored: Set<number>;
  /** An attempt came before: a line may be stored anywhere, under the hash of its own key. */
  isRetry: boolean;
  /** Where to store a line: all attempts that can be under way store it there. Undefined once that would be too late. */
  placeOf?: (line: number) => Binary | undefined;
  /** Call before each insert: reserves or keeps the places. Throws BatchTaken, and UnconfirmedError when a retry took too long. */
  begin(): Promise<void>;
}

/** For lines without reserved keys. */
export const anywhere = (isRetry: boolean): LinesTurn => ({
  stored: new Set(),
  isRetry,
  begin: async () => {},
});

/** Another attempt with the same key was quicker: look the batch up again. */
export class BatchTaken extends Error {}

interface Dependencies {
  entries: EntryStore;
  writer: Pick<Writer, 'write' | 'isHeard'>;
  horizon: Pick<HorizonStore, 'hold'>;
  timeoutMs: number;
}

/** The unique values of some lines belong to stored entries with other payloads: nothing of the batch is stored. Lines count from 0. */
export class LinesTaken extends Error {
  readonly positions: number[];

  constructor(positions: number[]) {
    super();
    this.positions = positions;
  }
}

/** A replay stored another line of the batch. */
class Changed extends Error {}

export type BatchStore = ReturnType<typeof batchStore>;

/** Remembers batches with an idempotency key for as long as their application lives. */
export function batchStore(db: Db, { entries, writer, horizon, timeoutMs }: Dependencies) {
  const batches = db.collection<BatchDocument>('batches');

  const decided = ({ by }: BatchRecord) => ({ isDecided: true as const, ...(by && { by }) });

  async function insert(
    { idempotencyHash, application, hash }: BatchRecord,
    { session, ...more }: { session?: ClientSession } & Partial<BatchDocument> = {},
  ): Promise<void> {
    const document = {
      _id: new Binary(idempotencyHash),
      application: new ObjectId(application),
      hash: new Binary(hash),
      createdAt: new Date(),
      ...more,
    };
    await batches.insertOne(document, session && { session });
  }

  async function lookUp(
    { idempotencyHash, hash }: BatchRecord,
    session?: ClientSession,
  ): Promise<KnownBatch> {
    const found = await batches.findOne({ _id: new Binary(idempotencyHash) }, session && { session });
    if (!found) return { known: 'first' };
    const { first, replays } = found;
    if (!hash.equals(found.hash.buffer)) return { known: 'other' };
    return replays === undefined ? { known: 'again', first } : { known: 'partly', replays };
  }

  /** Finds the lines of a batch that are stored. While the first attempt can be under way, it holds the horizon and returns the places. */
  async function lines(first: Binary, lastLine: number) {
    const hold = await horizon.hold(timeOfKey(first));
    // Read after the horizon: a line that is absent below the horizon will never be stored at its place.
    const stored = new Set(await entries.placesTaken(first, lastLine + 1));
    return { hold, stored, ...(hold && { placeOf: (line: number) => keyFrom(first, line) }) };
  }

  /** Records a batch that is stored as a whole. Throws Changed if a replay stored a line since it was looked up. */
  async function finish(record: BatchRecord, replays: number | undefined, session: ClientSession) {
    if (replays === undefined) return insert(record, { session, ...decided(record) });
    const seen = { _id: new Binary(record.idempotencyHash), replays };
    const update = { $set: decided(record), $unset: { replays: '' as const } };
    const { matchedCount } = await batches.updateOne(seen, update, { session });
    if (matchedCount === 0) throw new Changed();
  }

  /** An insert failed on a key that exists now: another request with the same key was quicker. */
  async function unlessKnown(record: BatchRecord | undefined, error: unknown): Promise<KnownKey> {
    // If the lookup fails, rethrow the first error.
    const { known } = (record && (await lookUp(record).catch(() => undefined))) ?? {
      known: 'first' as const,
    };
    if (known === 'first') throw error;
    return known;
  }

  return {
    lookUp,

    /** Calls `store` with places for the lines of a batch that is not known. Rejects as `store` does. */
    first<T>(record: BatchRecord, lastLine: number, store: (turn: LinesTurn) => Promise<T>): Promise<T> {
      return writer.write((now) => {
        const first = entries.newKeys(record.application, now(), lastLine + 1);
        const began = performance.now();
        const isEarly = () => performance.now() - began < placesMs && writer.isHeard();
        let recorded: Promise<void> | undefined;
        async function begin(): Promise<void> {
          recorded ??= insert(record, { first }).catch((error) => {
            throw isDuplicate(error) ? new BatchTaken() : error;
          });
          await recorded;
        }
        // Lines that come later have keys of their own.
        const placeOf = (line: number) => (isEarly() ? keyFrom(first, line) : undefined);
        return store({ stored: new Set(), isRetry: false, placeOf, begin });
      });
    },

    /** Calls `store` with the places of a batch that is known. */
    async again<T>(
      { first }: KnownBatch,
      lastLine: number,
      store: (turn: LinesTurn) => Promise<T>,
    ): Promise<T> {
      if (!first) return store(anywhere(true));
      const { hold, ...places } = await lines(first, lastLine);
      const done = await store({
        ...places,
        isRetry: true,
        async begin() {
          if (hold && !(await hold.renew())) throw new UnconfirmedError('the batch took too long');
        },
      });
      // If `store` rejects, an outcome may be unknown: the hold then ends by itself after a minute.
      await hold?.release();
      return done;
    },

    lines,

    /** Notes that each line of a batch is stored, or was refused for its content. */
    async settle(record: BatchRecord): Promise<void> {
      await batches.updateOne({ _id: new Binary(record.idempotencyHash) }, { $set: decided(record) });
    },

    /**
     * Reserves the key for the batch, in the transaction of a replay that stores one of its lines. `known` is `first` if the line may be stored,
     * `again` if the whole batch is stored, and `other` if another batch has the key.
     */
    async reserve(record: BatchRecord, atomic: boolean, session: ClientSession): Promise<KnownBatch> {
      const { known, first } = await lookUp(record, session);
      if (known === 'first') await insert(record, { session, replays: 1 });
      // A transaction that stores the whole batch at this time conflicts, and begins again.
      if (known === 'partly')
        await batches.updateOne(
          { _id: new Binary(record.idempotencyHash) },
          { $inc: { replays: 1 } },
          { session },
        );
      // Lines of a batch that is not atomic have keys of their own.
      return { known: known === 'other' || (known === 'again' && atomic) ? known : 'first', first };
    },

    /**
     * Stores all entries and the record in one transaction, unless the key is known; `replays` as it was looked up. Returns how many were stored before.
     * `chunks` may be called again. Throws LinesTaken. Rejects when nothing was stored, or the outcome is not known (see `storeFault`).
     */
    async storeAll(
      chunks: () => AsyncIterable<NewEntry[]>,
      record?: BatchRecord,
      replays?: number,
    ): Promise<{ known: KnownKey; repeated: number }> {
      let repeated = 0;
      try {
        const applications = new Set<string>();
        await storeInTransaction({ db, writer, timeoutMs, applications }, async ({ session, now }) => {
          const taken: number[] = [];
          let count = 0;
          repeated = 0;
          for await (const chunk of chunks()) {
            for (const { application } of chunk) applications.add(application);
            for (const outcome of await entries.insertWithin(chunk, now(), session)) {
              if (outcome === 'repeated') repeated += 1;
              else if (outcome !== 'stored') taken.push(count);
              count += 1;
            }
          }
          if (taken.length > 0) throw new LinesTaken(taken);
          // The record comes last: an abandoned transaction holds its locks for a minute, and a retry would wait for the record's.
          if (record) await finish(record, replays, session);
        });
        return { known: 'first', repeated };
      } catch (error) {
        if (error instanceof LinesTaken) throw error;
        if (error instanceof Changed) return { known: 'partly', repeated: 0 };
        const known = await unlessKnown(record, error);
        // The batch was stored in part before: the error has another cause.
        if (known === 'partly' && replays !== undefined) throw error;
        return { known, repeated: 0 };
      }
    },
  };
}
