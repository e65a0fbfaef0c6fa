import {
  Binary,
  type ClientSession,
  type Collection,
  type Db,
  MongoBulkWriteError,
  type WriteError,
} from 'mongodb';
import { duplicateKey, UnconfirmedError } from '../faults.ts';
import type { Before } from './compare-entries.ts';
import type { EntryDocument, Prepared } from './entry-document.ts';
import { timeOfKey } from './entry-id.ts';
import type { Hold, HorizonStore } from './horizon.ts';

/** The record of an idempotency key, where no unique index of `entries` can hold it: on a cluster. */
interface KeyDocument {
  /** The application's id, then the hash. */
  _id: Binary;
  /** The key of the entry, which may not be stored yet. */
  entry: Binary;
}

export const keyRecordsName = 'idempotency';

interface Dependencies {
  db: Db;
  horizon: Pick<HorizonStore, 'hold' | 'latest'>;
  /** Compares entries with the stored entries that have the same `_id`. */
  compare(batch: Prepared[]): Promise<Map<Prepared, Before>>;
}

type Keyed = Prepared & { idempotencyHash: Binary };

export const isKeyed = (entry: Prepared): entry is Keyed => entry.idempotencyHash !== undefined;

interface Placed {
  before: Map<Prepared, Before>;
  /** Call when they are stored; where it is not known whether they are, let the minute pass. */
  release(): Promise<void>;
}

export type KeyRecords = ReturnType<typeof keyRecords>;

/**
 * Gives each idempotency key a place for its entry before the entry is stored. All attempts with the key store at this place. See
 * docs/decisions/0031-keys-have-places.md.
 */
export function keyRecords({ db, horizon, compare }: Dependencies) {
  const records: Collection<KeyDocument> = db.collection(keyRecordsName);

  /** Returns the entries whose keys have a place already. */
  async function claim(batch: Keyed[]): Promise<Keyed[]> {
    const documents = batch.map((entry) => ({ _id: recordKey(entry), entry: entry.key }));
    try {
      await records.insertMany(documents, { ordered: false });
      return [];
    } catch (error) {
      const errors: WriteError[] = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
      if (errors.length === 0 || errors.some(({ code }) => code !== duplicateKey)) throw error;
      return errors.map(({ index }) => batch[index] as Keyed);
    }
  }

  async function lookUp<E extends Pick<Keyed, 'key' | 'idempotencyHash'>>(batch: E[]): Promise<E[]> {
    const found = await records.find({ _id: { $in: batch.map(recordKey) } }).toArray();
    const places = new Map(found.map(({ _id, entry }) => [_id.toString('hex'), entry]));
    return batch.filter((entry) => {
      const place = places.get(recordKey(entry).toString('hex'));
      if (place) entry.key = place;
      return place !== undefined;
    });
  }

  /** Gives a new place to an entry that will never be at its old one. False if another attempt was quicker. */
  async function move(entry: Keyed, to: Binary): Promise<boolean> {
    const { modifiedCount } = await records.updateOne(
      { _id: recordKey(entry), entry: entry.key },
      { $set: { entry: to } },
    );
    if (modifiedCount === 1) entry.key = to;
    return modifiedCount === 1;
  }

  return {
    /**
     * Sets the keys of new entries to their places. `since`: nothing of the caller with an earlier time is undecided. Throws UnconfirmedError where
     * another attempt gets in the way again and again.
     */
    async place(batch: Keyed[], since: number): Promise<Placed> {
      const fresh = new Map(batch.map((entry) => [entry, entry.key]));
      const before = new Map<Prepared, Before>();
      const holds: Hold[] = [];
      const release = async () => void (await Promise.all(holds.map((hold) => hold.release())));
      let open = await claim(batch);
      for (let turn = 0; open.length > 0; turn += 1) {
        if (turn === mostTurns) throw new UnconfirmedError('another attempt with the same key is under way');
        await lookUp(open);
        // Read after the horizon: an entry that is absent below the horizon will never be stored at its place.
        const bound = await horizon.latest();
        for (const [entry, known] of await compare(open)) before.set(entry, known);
        // Later ones are held back by the caller itself.
        const early = open.filter((entry) => !before.has(entry) && timeOfKey(entry.key) < since);
        const { gone = [], late = [] } = Object.groupBy(early, ({ key }) =>
          timeOfKey(key) < bound ? 'gone' : 'late',
        );
        open = [];
        for (const entry of gone) if (!(await move(entry, fresh.get(entry) as Binary))) open.push(entry);
        if (late.length === 0) continue;
        const hold = await horizon.hold(Math.min(...late.map(({ key }) => timeOfKey(key))));
        if (hold) holds.push(hold);
        else open.push(...late);
      }
      return { before, release };
    },

    /** Finds the places of keys, and sets them. Returns the entries that have one. */
    lookUp,
  };
}

const mostTurns = 5;
const applicationBytes = 12;
const hashBytes = 16;

function recordKey({ key, idempotencyHash }: Pick<Keyed, 'key' | 'idempotencyHash'>): Binary {
  return new Binary(Buffer.concat([key.buffer.subarray(0, applicationBytes), idempotencyHash.buffer]));
}

export async function removeKeyRecords(db: Db, application: string): Promise<void> {
  const bound = (hash: string) => new Binary(Buffer.from(application + hash.repeat(hashBytes), 'hex'));
  await db
    .collection<KeyDocument>(keyRecordsName)
    .deleteMany({ _id: { $gte: bound('00'), $lte: bound('ff') } });
}

/** Makes records of the keys that entries of a replica set have in `once`. May run again. */
export async function recordKeys(db: Db): Promise<void> {
  const found = db.collection<EntryDocument>('entries').find({ once: { $exists: true } });
  let batch: KeyDocument[] = [];
  const flush = async () => {
    await db.collection<KeyDocument>(keyRecordsName).bulkWrite(
      batch.map(({ _id, entry }) => ({
        updateOne: { filter: { _id }, update: { $set: { entry } }, upsert: true },
      })),
      { ordered: false },
    );
    batch = [];
  };
  for await (const { _id, once } of found.project<Pick<EntryDocument, '_id' | 'once'>>({ once: 1 })) {
    batch.push({ _id: recordKey({ key: _id, idempotencyHash: once as Binary }), entry: _id });
    if (batch.length === 1_000) await flush();
  }
  if (batch.length > 0) await flush();
}

/** The places of hashes that have one. No entry may be there yet. */
export async function placesOf(
  db: Db,
  application: string,
  hashes: Buffer[],
  session: ClientSession,
): Promise<Binary[]> {
  const names = hashes.map((hash) => new Binary(Buffer.concat([Buffer.from(application, 'hex'), hash])));
  const records = db.collection<KeyDocument>(keyRecordsName);
  const found = await records.find({ _id: { $in: names } }, { session }).toArray();
  return found.map(({ entry }) => entry);
}
