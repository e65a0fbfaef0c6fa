import { BSON, type ClientSession, type Db, MongoServerError } from 'mongodb';
import type { EntryDocument, StoredEntry } from './entry-document.ts';
import { createEntryKeys } from './entry-id.ts';
import { range } from './entry-range.ts';
import { createInsert, type KeyedEntry, type NewEntry, type Outcome } from './insert-entries.ts';
import { createListing, type Page } from './list-entries.ts';
import { type MilestoneStore, milestoneStore } from './milestones.ts';
import { readDocument } from './read-document.ts';

export type { Period } from './entry-range.ts';
export type { KeyedEntry, NewEntry, Outcome } from './insert-entries.ts';

/** See `createListing`. */
interface Listing {
  milestones?: MilestoneStore;
  filterMs?: number | undefined;
}

const oldestFirst = { _id: 1 } as const;

export type EntryStore = ReturnType<typeof entryStore>;

/** Entries of all applications: one clustered collection, each application a range of it in the order of time. */
export function entryStore(
  db: Db,
  timeoutMs: number,
  { milestones = milestoneStore(db), filterMs = Math.min(5_000, Math.floor(timeoutMs / 2)) }: Listing = {},
) {
  const entries = db.collection<EntryDocument>('entries');
  let prepared: Promise<void> | undefined;

  /** Before the first insert, or MongoDB would create a collection that is not clustered. */
  function prepareOnce(): Promise<void> {
    prepared ??= prepare(db).catch((error) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  }

  const listing = createListing({ entries, milestones, filterMs });
  const { insert, insertKeyed, insertWithin } = createInsert({
    db,
    entries,
    newKey: createEntryKeys(),
    timeoutMs,
  });

  return {
    prepare: prepareOnce,

    /**
     * Stores entries in one command, all with the same `createdAt`; tells of each what became of it. Resolves once
     * those that are `stored` are durable on a majority. Rejects when that is not known, or nothing could be begun.
     * Payloads must have passed `readPayload`; all of them together must fit into one message (16 MB of BSON).
     */
    async insert(batch: NewEntry[]): Promise<Outcome[]> {
      await prepareOnce();
      return insert(batch);
    },

    /** The same for entries whose keys are made beforehand, and which may have been stored before. */
    async insertKeyed(batch: KeyedEntry[]): Promise<Outcome[]> {
      await prepareOnce();
      return insertKeyed(batch);
    },

    /** The same as a part of a transaction; throws when one of them is not taken. */
    async insertWithin(batch: NewEntry[], session: ClientSession): Promise<void> {
      await prepareOnce();
      await insertWithin(batch, session);
    },

    /**
     * Newest first; `start` counts from `before`, the end of the period, or the newest entry. Throws FilterTimeout and
     * PageTooLarge.
     */
    async page(application: string, page: Page): Promise<StoredEntry[]> {
      return (await listing.page(application, page)).map(readDocument);
    },

    /** Exact. With `until`, of the entries up to that one. Throws FilterTimeout. */
    count: listing.count,

    /** Deletes at most `limit` entries; returns how many. */
    async purge(application: string, limit: number): Promise<number> {
      const found = entries.find(range(application, {})).sort(oldestFirst).limit(limit);
      const keys = (await found.project<EntryDocument>({ _id: 1 }).toArray()).map(({ _id }) => _id);
      return keys.length === 0 ? 0 : (await entries.deleteMany({ _id: { $in: keys } })).deletedCount;
    },
  };
}

/** MongoDB's limit of a document, less what is around the payload. */
const maxPayloadBytes = 16 * 1024 ** 2 - 1_024;
/** As BSON a payload is at most 6.5 times as long. */
const surelyFits = 2 * 1024 ** 2;

/** Whether a payload that was `length` bytes of JSON can be stored. */
export function fitsInDocument(payload: object, length: number): boolean {
  return length <= surelyFits || BSON.calculateObjectSize(payload) <= maxPayloadBytes;
}

const namespaceExists = 48;

async function prepare(db: Db): Promise<void> {
  try {
    await db.createCollection('entries', { clusteredIndex: { key: { _id: 1 }, unique: true } });
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === namespaceExists)) throw error;
    const [found] = await db.listCollections({ name: 'entries' }, { nameOnly: false }).toArray();
    if (!(found && 'options' in found && found.options?.clusteredIndex)) {
      throw new Error('the collection "entries" was not made by this version of Sluice: use a new database');
    }
  }
  // Partial: an upload without a key pays nothing for it.
  await db
    .collection('entries')
    .createIndex({ once: 1 }, { unique: true, partialFilterExpression: { once: { $exists: true } } });
}
