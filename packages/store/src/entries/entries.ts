import { type Db, MongoServerError } from 'mongodb';
import { inSnapshot } from '../in-snapshot.ts';
import { indexesOfEntries } from '../indexes.ts';
import type { ChunkStore } from '../jobs/chunks.ts';
import { IncompatibleDatabase } from '../migrations/incompatible-database.ts';
import type { EntryDocument, StoredEntry } from './entry-document.ts';
import { createKeysAt, type EntryId, fromKey, toKey } from './entry-id.ts';
import { range } from './entry-range.ts';
import { createForward } from './forward-entries.ts';
import type { HorizonStore } from './horizon.ts';
import { createInsert } from './insert-entries.ts';
import { createListing, type Page, type Selection } from './list-entries.ts';
import { type MilestoneStore, milestoneStore } from './milestones.ts';
import { newestEntries } from './newest-entries.ts';
import { readDocument } from './read-document.ts';
import { type Steps, stepCounts } from './step-counts.ts';
import { stretches } from './stretches.ts';
import type { Writer } from './writer.ts';

export type { Period } from './entry-range.ts';
export type { KeyedEntry, NewEntry, Outcome } from './insert-entries.ts';

/** See `createListing` and `createForward`. */
interface Dependencies {
  milestones?: MilestoneStore;
  filterMs?: number | undefined;
  horizon: HorizonStore;
  writer: Writer;
  openSince: ChunkStore['openSince'];
}

const oldestFirst = { _id: 1 } as const;

export type EntryStore = ReturnType<typeof entryStore>;

/** Entries of all applications: one clustered collection, each application a range of it in the order of time. */
export function entryStore(
  db: Db,
  timeoutMs: number,
  {
    milestones = milestoneStore(db),
    filterMs = Math.min(5_000, Math.floor(timeoutMs / 2)),
    horizon,
    writer,
    openSince,
  }: Dependencies,
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

  const countSteps = stepCounts(db);
  const listing = createListing({ db, entries, milestones, filterMs });
  return {
    prepare: prepareOnce,

    ...createInsert({ db, entries, prepare: prepareOnce, newKey: createKeysAt(), writer, timeoutMs }),

    /**
     * Newest first; `start` counts from `before`, the end of the period, or the newest entry. Throws FilterTimeout and
     * PageTooLarge.
     */
    async page(application: string, page: Page): Promise<StoredEntry[]> {
      return (await listing.page(application, page)).map(readDocument);
    },

    /** Oldest first. */
    forward: createForward({ db, entries, milestones, horizon, openSince, filterMs }),

    /** Exact. With `until`, of the entries up to that one. Throws FilterTimeout. */
    count: listing.count,

    async get(application: string, id: EntryId): Promise<StoredEntry | undefined> {
      const found = await entries.findOne({ _id: toKey(application, id) }, { raw: true });
      return found ? readDocument(found as unknown as Uint8Array) : undefined;
    },

    /** How many there are in each step. `isIntact`: as for lists. */
    countSteps(application: string, steps: Steps, isIntact: boolean): Promise<number[]> {
      if (isIntact) return countSteps(undefined, application, steps);
      return inSnapshot(db, (session) => countSteps(session, application, steps));
    },

    /** When the oldest entry was stored, from a time on: until MongoDB has cleared up, it walks over all that was deleted before. */
    async oldest(application: string, from?: Date): Promise<Date | undefined> {
      const found = await entries.findOne(range(application, { from }), {
        sort: oldestFirst,
        projection: { _id: 1 },
      });
      return found ? fromKey(found._id).createdAt : undefined;
    },

    /** See `newestEntries`. */
    newest: (applications: string[]) => newestEntries(entries, applications),

    /** See `stretches`. */
    stretches: (application: string, selection: Selection, limit: number) =>
      stretches(entries, application, selection, limit),

    /** Deletes at most `limit` entries; returns how many. */
    async purge(application: string, limit: number): Promise<number> {
      const found = entries.find(range(application, {})).sort(oldestFirst).limit(limit);
      const keys = (await found.project<EntryDocument>({ _id: 1 }).toArray()).map(({ _id }) => _id);
      return keys.length === 0 ? 0 : (await entries.deleteMany({ _id: { $in: keys } })).deletedCount;
    },
  };
}

const namespaceExists = 48;

async function prepare(db: Db): Promise<void> {
  try {
    await db.createCollection('entries', { clusteredIndex: { key: { _id: 1 }, unique: true } });
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === namespaceExists)) throw error;
    const [found] = await db.listCollections({ name: 'entries' }, { nameOnly: false }).toArray();
    if (!(found && 'options' in found && found.options?.clusteredIndex)) {
      throw new IncompatibleDatabase(
        'the collection "entries" was not made by this version of Sluice: use a new database',
      );
    }
  }
  await db.collection('entries').createIndexes(indexesOfEntries);
}
