import { type Binary, type Collection, type Db, type Document, MongoServerError } from 'mongodb';
import { namespaceExists } from '../faults.ts';
import { inSnapshot } from '../in-snapshot.ts';
import { indexesOfEntries } from '../indexes.ts';
import { isCluster } from '../is-cluster.ts';
import { IncompatibleDatabase } from '../migrations/incompatible-database.ts';
import { createBesideFiles } from './beside-files.ts';
import { createCompare } from './compare-entries.ts';
import type { EntryDocument, StoredEntry } from './entry-document.ts';
import {
  applicationOfKey,
  createKeysAt,
  type EntryId,
  fromKey,
  keyFrom,
  placesFrom,
  toKey,
} from './entry-id.ts';
import { range } from './entry-range.ts';
import { createForward } from './forward-entries.ts';
import { giveValues } from './give-values.ts';
import type { HorizonStore } from './horizon.ts';
import { createInsert, type Keying } from './insert-entries.ts';
import { keyRecords, keyRecordsName } from './key-records.ts';
import { createListing, type Page } from './list-entries.ts';
import { type MilestoneStore, milestoneStore } from './milestones.ts';
import { pieces, type Walked } from './pieces.ts';
import { readDocument } from './read-document.ts';
import { collectPage, type PageSize } from './read-page.ts';
import { type StepSums, stepCounts, type TimeSteps } from './step-counts.ts';
import type { HashedEntry } from './value-surveys.ts';
import type { Writer } from './writer.ts';

export { type Before, type Outcome, sentHash } from './compare-entries.ts';
export type { Period } from './entry-range.ts';
export type { KeyedEntry, NewEntry } from './insert-entries.ts';

/** See `createListing` and `createForward`. */
interface Dependencies {
  milestones?: MilestoneStore;
  filterMs?: number | undefined;
  horizon: HorizonStore;
  writer: Writer;
}

export type EntryStore = ReturnType<typeof entryStore>;

/** Each is found by a command of its own. */
const readAtOnce = 20;

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
  let prepared: Promise<Keying> | undefined;

  /** Before the first insert, or MongoDB would create a collection that is not clustered. */
  function prepareOnce(): Promise<Keying> {
    prepared ??= prepareAll().catch((error) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  }

  async function prepareAll(): Promise<Keying> {
    await createClustered(db, 'entries');
    if (!(await isCluster(db))) {
      await entries.createIndexes(indexesOfEntries);
      return { fields: ['_id', 'once'] };
    }
    await createClustered(db, keyRecordsName);
    const records = keyRecords({ db, horizon, compare: (batch) => compare(batch, ['_id']) });
    // Until `sluice-admin shard` moves the keys of a replica set that became a shard.
    const hasIndex = (await entries.indexes()).some(({ key }) => 'once' in key);
    function refresh(): void {
      prepared = undefined;
    }
    return hasIndex ? { fields: ['_id', 'once'], records, refresh } : { fields: ['_id'], records };
  }

  const compare = createCompare(entries);

  const newKey = createKeysAt();
  const { countSteps, sumSteps } = stepCounts(db);
  const listing = createListing({ db, entries, milestones, filterMs });

  /** What the entries of each step add up to. `groupOf`: as for `stepCounts`. `isIntact`: as for lists. */
  function sumBy<Group>(
    application: string,
    steps: TimeSteps,
    isIntact: boolean,
    groupOf: (sender: number) => Group | undefined,
  ): Promise<StepSums<Group>> {
    if (isIntact) return sumSteps(undefined, application, steps, groupOf);
    return inSnapshot(db, (session) => sumSteps(session, application, steps, groupOf));
  }

  return {
    prepare: prepareOnce,

    /** The first of `count` consecutive keys, for entries of a time (ms since the epoch) that a writer gave. */
    newKeys: (application: string, createdAt: number, count: number) =>
      newKey(Buffer.from(application, 'hex'), createdAt, count),

    /** The places after the first key, up to `count`, at which entries are stored. */
    async placesTaken(first: Binary, count: number): Promise<number[]> {
      const among = { _id: { $gte: first, $lte: keyFrom(first, count - 1) } };
      const found = await entries.find(among).project<Pick<EntryDocument, '_id'>>({ _id: 1 }).toArray();
      return found.map(({ _id }) => placesFrom(first, _id));
    },

    ...createInsert({ db, entries, prepare: prepareOnce, compare, newKey, writer, timeoutMs }),

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

    /** See `createBesideFiles`. */
    besideFiles: createBesideFiles({ db, entries, milestones, horizon, filterMs }),

    /** The entries of a page, whose ids are in order; without those that are gone. Throws PageTooLarge. */
    async byIds(application: string, ids: EntryId[], onRead: PageSize['onRead']): Promise<StoredEntry[]> {
      async function* inOrder() {
        for (let at = 0; at < ids.length; at += readAtOnce) {
          const some = ids.slice(at, at + readAtOnce).map((id) => toKey(application, id));
          const found = await Promise.all(some.map((_id) => entries.findOne({ _id }, { raw: true })));
          for (const document of found) if (document) yield document as unknown as Uint8Array;
        }
      }
      return (await collectPage(inOrder(), { limit: ids.length, onRead })).map(readDocument);
    },

    /** Whether `forward` will have more: entries of `final` (ms since the epoch) or later, or of a chunk that is under way. */
    async willHave(application: string, final: number): Promise<boolean> {
      // First: a chunk that is done has stored its entries.
      if ((await horizon.of(application, Number.POSITIVE_INFINITY)) < Number.POSITIVE_INFINITY) return true;
      const above = range(application, { from: new Date(final) });
      return (await entries.findOne(above, { projection: { _id: 1 } })) !== null;
    },

    /** Exact. With `until`, of the entries up to that one. Throws FilterTimeout. */
    count: listing.count,

    async get(application: string, id: EntryId): Promise<StoredEntry | undefined> {
      const found = await entries.findOne({ _id: toKey(application, id) }, { raw: true });
      return found ? readDocument(found as unknown as Uint8Array) : undefined;
    },

    /** How many there are in each step. `isIntact`: as for lists. */
    countSteps(application: string, steps: TimeSteps, isIntact: boolean): Promise<number[]> {
      if (isIntact) return countSteps(undefined, application, steps);
      return inSnapshot(db, (session) => countSteps(session, application, steps));
    },

    sumSteps: sumBy,

    /** How many each sender has in each step, by the sender's number. Senders without entries are absent. */
    async countStepsBySender(
      application: string,
      steps: TimeSteps,
      isIntact: boolean,
    ): Promise<Map<number, number[]>> {
      const { groups, rest } = await sumBy(application, steps, isIntact, (sender) => sender);
      return rest.some((count) => count > 0) ? groups.set(0, rest) : groups;
    },

    /** When the newest entry of each application was stored. Applications without entries are absent. */
    newest: (applications: string[]) => newestEntries(entries, applications),

    /** See `pieces`. */
    pieces: (application: string, walked: Walked, limit: number) =>
      pieces(entries, application, walked, limit),

    /** See `giveValues`. */
    async giveValues(some: HashedEntry[]): Promise<void> {
      const { records } = await prepareOnce();
      await giveValues(entries, some, records);
    },

    /** Deletes the stored entries in batches; yields the number deleted by each. */
    async *purge(application: string, limit: number): AsyncGenerator<number> {
      for await (const { query } of pieces(entries, application, {}, limit))
        yield (await entries.deleteMany(query)).deletedCount;
    },
  };
}

async function createClustered(db: Db, name: string): Promise<void> {
  try {
    await db.createCollection(name, { clusteredIndex: { key: { _id: 1 }, unique: true } });
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === namespaceExists)) throw error;
    const [found] = await db.listCollections({ name }, { nameOnly: false }).toArray();
    if (!(found && 'options' in found && found.options?.clusteredIndex)) {
      throw new IncompatibleDatabase(
        `the collection "${name}" was not made by this version of Sluice: use a new database`,
      );
    }
  }
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
