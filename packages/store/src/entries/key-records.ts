import { Binary, type ClientSession, type Collection, type Db } from 'mongodb';
import { duplicatesIn, UnconfirmedError } from '../faults.ts';
import { type Before, type Comparable, isExpired } from './compare-entries.ts';
import type { EntryDocument, Prepared } from './entry-document.ts';
import { applicationOfKey, timeOfKey } from './entry-id.ts';
import type { Hold, HorizonStore } from './horizon.ts';
import type { HashedEntry } from './value-surveys.ts';

/** The record of a hash, where no unique index of `entries` can hold it: on a cluster. */
interface KeyDocument {
  /** The application's id, then the hash. */
  _id: Binary;
  /** The key of the entry, which may not be stored yet. */
  entry: Binary;
}

export const keyRecordsName = 'idempotency';

type Keyed = Pick<Prepared, 'key' | 'json' | 'sent' | 'valueSince'> & { once: Buffer[] };

/** An entry as it would be at a place. */
type AtPlace<E> = Comparable & { entry: E; key: Binary };

interface Dependencies {
  db: Db;
  horizon: Pick<HorizonStore, 'hold' | 'latest' | 'of'>;
  /** Compares entries with the stored entries that have the same `_id`. */
  compare<E extends Comparable>(batch: E[]): Promise<Map<E, Before>>;
}

type NewKeyed = Prepared & Keyed;

export const isKeyed = (entry: Prepared): entry is NewKeyed => (entry.once?.length ?? 0) > 0;

interface Placed {
  before: Map<Prepared, Before>;
  /** Another attempt with one of their hashes is under way. */
  taken: Set<Prepared>;
  /** Call when they are stored; where it is not known whether they are, let the minute pass. */
  release(): Promise<void>;
}

export const underWay = () => new UnconfirmedError('another attempt with the same key is under way');

export type KeyRecords = ReturnType<typeof keyRecords>;

/**
 * Gives each hash a place for its entry before the entry is stored. All attempts with the hash store at this place. See
 * docs/decisions/0031-keys-have-places.md.
 */
export function keyRecords({ db, horizon, compare }: Dependencies) {
  const records: Collection<KeyDocument> = db.collection(keyRecordsName);

  /** Returns the entries whose hash has a place already. `nth`: which of their hashes. */
  async function claim<E extends Keyed>(batch: E[], nth: number): Promise<E[]> {
    const documents = batch.map((entry) => ({ _id: recordKey(entry, nth), entry: entry.key }));
    try {
      if (documents.length > 0) await records.insertMany(documents, { ordered: false });
      return [];
    } catch (error) {
      return duplicatesIn(error).map((at) => batch[at] as E);
    }
  }

  /** Finds the places of hashes. */
  async function lookUp<E extends Keyed>(batch: E[], nth: number): Promise<AtPlace<E>[]> {
    const found = await records.find({ _id: { $in: batch.map((entry) => recordKey(entry, nth)) } }).toArray();
    const places = new Map(found.map(({ _id, entry }) => [_id.toString('hex'), entry]));
    return batch.flatMap((entry) => {
      const key = places.get(recordKey(entry, nth).toString('hex'));
      const { once, valueSince, sent, json } = entry;
      return key ? { entry, key, once, valueSince, sent, json } : [];
    });
  }

  /** The entries at these places, but those that are too old to have a unique value. */
  async function holders<E extends Keyed>(placed: AtPlace<E>[], nth: number): Promise<Map<E, Before>> {
    const holders = [...(await compare(placed))].filter(
      ([place, { key }]) => nth > 0 || !isExpired(place, key),
    );
    return new Map(holders.map(([{ entry }, known]) => [entry, known]));
  }

  /** Gives a new place to a hash whose entry will never be at its old one. False if another attempt was quicker. */
  async function move(entry: Keyed, nth: number, from: Binary, to: Binary): Promise<boolean> {
    const { modifiedCount } = await records.updateOne(
      { _id: recordKey(entry, nth), entry: from },
      { $set: { entry: to } },
    );
    return modifiedCount === 1;
  }

  /** By place: below this time, nothing will ever be stored that is not there now. */
  async function boundsOf(placed: { key: Binary }[]): Promise<(place: Binary) => number> {
    const final = await horizon.latest();
    const bounds = new Map<string, number>();
    for (const application of new Set(placed.map(({ key }) => applicationOfKey(key))))
      bounds.set(application, await horizon.of(application, final));
    return (place) => bounds.get(applicationOfKey(place)) as number;
  }

  return {
    /**
     * Sets the keys of new entries to their places. `since`: nothing of the caller with an earlier time is undecided. The first hash gives the
     * place, and the second one must have the same.
     */
    async place(batch: NewKeyed[], since: number): Promise<Placed> {
      const before = new Map<Prepared, Before>();
      const taken = new Set<Prepared>();
      const holds: Hold[] = [];

      /** Takes the place of the hash, if nothing of the caller contradicts it. False: look again. */
      function settle({ entry, key }: AtPlace<NewKeyed>, nth: number): boolean {
        if (nth > 0) return entry.key.toString('hex') === key.toString('hex');
        entry.key = key;
        return true;
      }

      async function placeBy(nth: number, some: NewKeyed[]): Promise<void> {
        const own = new Map(some.map((entry) => [entry, entry.key]));
        let open = await claim(some, nth);
        for (let turn = 0; open.length > 0; turn += 1) {
          if (turn === mostTurns) {
            for (const entry of open) taken.add(entry);
            return;
          }
          const placed = await lookUp(open, nth);
          open = [];
          // Read after the horizon: an entry that is absent below the horizon will never be stored at its place.
          const boundOf = await boundsOf(placed);
          const stored = await holders(placed, nth);
          const late: AtPlace<NewKeyed>[] = [];
          for (const place of placed) {
            const { entry, key } = place;
            const known = stored.get(entry);
            const to = own.get(entry) as Binary;
            // Later ones are held back by the caller itself.
            const isEarly = timeOfKey(key) < since;
            if (known) {
              before.set(entry, known);
              entry.key = known.key;
              continue;
            }
            if (isEarly && timeOfKey(key) < boundOf(key)) {
              if (await move(entry, nth, key, to)) entry.key = to;
              else open.push(entry);
            } else if (!settle(place, nth)) open.push(entry);
            else if (isEarly) late.push(place);
          }
          if (late.length === 0) continue;
          const hold = await horizon.hold(Math.min(...late.map(({ key }) => timeOfKey(key))));
          if (hold) holds.push(hold);
          else open.push(...late.map(({ entry }) => entry));
        }
      }

      await placeBy(0, batch);
      const isOpen = (entry: Prepared) => !taken.has(entry) && before.get(entry)?.outcome !== 'duplicate';
      await placeBy(
        1,
        batch.filter((entry) => entry.once.length > 1 && isOpen(entry)),
      );
      return {
        before,
        taken,
        release: async () => void (await Promise.all(holds.map((hold) => hold.release()))),
      };
    },

    /** Makes records of the hashes of stored entries. Returns the entries whose hashes no other entry has. */
    async own(some: HashedEntry[]): Promise<HashedEntry[]> {
      const named = some.map(({ key, hash }) => ({ ...keyed(key), once: [hash] }));
      const taken = await claim(named, 0);
      const others = (await lookUp(taken, 0)).filter(
        ({ entry, key }) => entry.key.toString('hex') !== key.toString('hex'),
      );
      const lost = new Set(others.map(({ entry }) => entry.key.toString('hex')));
      return some.filter(({ key }) => !lost.has(key.toString('hex')));
    },

    /** The entries that are stored with one of the hashes. Where two are, the one with the second hash counts. */
    async find<E extends Keyed>(batch: E[]): Promise<Map<E, Before>> {
      const found = new Map<E, Before>();
      for (const nth of [0, 1]) {
        const some = batch.filter(({ once }) => once.length > nth);
        const stored = some.length > 0 ? await holders(await lookUp(some, nth), nth) : [];
        for (const [entry, known] of stored) found.set(entry, known);
      }
      return found;
    },
  };
}

const mostTurns = 5;
const keyed = (key: Buffer) => ({ key: new Binary(key), json: Buffer.alloc(0) });
const applicationBytes = 12;
const hashBytes = 16;

const toRecordKey = (key: Binary, hash: Uint8Array): Binary =>
  new Binary(Buffer.concat([key.buffer.subarray(0, applicationBytes), hash]));

const recordKey = ({ key, once }: Keyed, nth: number): Binary => toRecordKey(key, once[nth] as Buffer);

export async function removeKeyRecords(db: Db, application: string): Promise<void> {
  const bound = (hash: string) => new Binary(Buffer.from(application + hash.repeat(hashBytes), 'hex'));
  await db
    .collection<KeyDocument>(keyRecordsName)
    .deleteMany({ _id: { $gte: bound('00'), $lte: bound('ff') } });
}

/** Makes records of the hashes that entries of a replica set have in `once`. May run again. */
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
    for (const { buffer } of [once ?? []].flat()) batch.push({ _id: toRecordKey(_id, buffer), entry: _id });
    if (batch.length >= 1_000) await flush();
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
