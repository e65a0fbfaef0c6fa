import { type Collection, type Db, type Document, MongoServerError } from 'mongodb';
import { inSnapshot } from '../in-snapshot.ts';
import { indexesOfEntries } from '../indexes.ts';
import { IncompatibleDatabase } from '../migrations/incompatible-database.ts';
import type { EntryDocument, StoredEntry } from './entry-document.ts';
import { applicationOfKey, createKeysAt, type EntryId, fromKey, toKey } from './entry-id.ts';
import { range } from './entry-range.ts';
import { createForward } from './forward-entries.ts';
import type { HorizonStore } from './horizon.ts';
import { createInsert } from './insert-entries.ts';
import { createListing, type Page, type Selection } from './list-entries.ts';
import { type MilestoneStore, milestoneStore } from './milestones.ts';
import { oldestEntries } from './oldest-entries.ts';
import { readDocument } from './read-document.ts';
import { type Steps, stepCounts } from './step-counts.ts';
import { stretches } from './stretches.ts';
import type { Writer } from './writer.ts';

export type { Period } from './entry-range.ts';
export { type Before, type KeyedEntry, type NewEntry, type Outcome, sentHash } from './insert-entries.ts';

/** See `createListing` and `createForward`. */
interface Dependencies {
  milestones?: MilestoneStore;
  filterMs?: number | undefined;
  horizon: HorizonStore;
  writer: Writer;
}

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
     * Newest first, with the number of all that are selected; `start` counts from `before`, the end of the period, or the newest
     * entry. Throws FilterTimeout and PageTooLarge.
     */
    async page(application: string, page: Page): Promise<{ entries: StoredEntry[]; total: number }> {
      const { documents, total } = await listing.page(application, page);
      return { entries: documents.map(readDocument), total };
    },

    /** Oldest first. */
    forward: createForward({ entries, milestones, horizon, filterMs }),

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

    /** See `oldestEntries`. */
    oldest: (application: string, where: Parameters<typeof oldestEntries>[2]) =>
      oldestEntries(entries, application, where),

    /** When the newest entry of each application was stored. Those without entries are absent. */
    newest: (applications: string[]) => newestEntries(entries, applications),

    /** See `stretches`. */
    stretches: (application: string, selection: Selection, limit: number, from?: EntryId) =>
      stretches(entries, application, selection, limit, from),

    /** Deletes about `limit` entries, from one of them on; resolves with how many, and where to go on. */
    async purge(
      application: string,
      limit: number,
      from?: EntryId,
    ): Promise<{ deleted: number; next?: EntryId | undefined }> {
      const oldest = await oldestEntries(entries, application, { from, limit });
      if (!oldest) return { deleted: 0 };
      const { deletedCount: deleted } = await entries.deleteMany(oldest.query);
      return { deleted, next: oldest.next?.id };
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

const newestOf = (application: string): Document[] => [
  { $match: range(application, {}) },
  { $sort: { _id: -1 } },
  { $limit: 1 },
  { $project: { _id: 1 } },
];

/** Takes at most some hundred applications. A command for each would cost several times as much as its work. */
async function newestEntries(
  entries: Collection<EntryDocument>,
  applications: string[],
): Promise<Map<string, Date>> {
  const [first, ...others] = applications;
  if (first === undefined) return new Map();
  const unions = others.map((application) => ({
    $unionWith: { coll: entries.collectionName, pipeline: newestOf(application) },
  }));
  const found = await entries
    .aggregate<Pick<EntryDocument, '_id'>>([...newestOf(first), ...unions])
    .toArray();
  return new Map(found.map(({ _id }) => [applicationOfKey(_id), fromKey(_id).createdAt]));
}
