import { type ClientSession, type Collection, type Db, ObjectId } from 'mongodb';
import type { ApplicationDocument } from '../applications/application-document.ts';
import { type ArchiveDocument, type ArchiveRecord, archivesName } from '../archives/archive-records.ts';
import { type RemovalDocument, removalsName } from '../archives/removals.ts';
import { inSnapshot } from '../in-snapshot.ts';
import type { EntryDocument } from './entry-document.ts';
import { type Condition, toQuery } from './entry-filter.ts';
import { type EntryId, highest, idOfKey, lastIdBefore, lowestId, toKey } from './entry-id.ts';
import { type Period, range } from './entry-range.ts';
import type { HorizonStore } from './horizon.ts';
import type { MilestoneStore } from './milestones.ts';
import { inTime } from './read-page.ts';

/** `cursor`: the page begins behind this entry. `total` counts those before it too. */
export interface MatchingPage extends Period {
  filter: Condition[];
  order: 'newest' | 'oldest';
  cursor?: EntryId | undefined;
  start: number;
  limit: number;
}

/** What completes the files of an archive for questions, as MongoDB has it at one moment. */
export interface BesideFiles {
  /** Up to this entry the files have what MongoDB has not. */
  after: EntryId | undefined;
  /** The page ends with this entry. Of pages that go forward: all up to it was there to be read. */
  end: EntryId | undefined;
  /** Deleted entries that the lists beside the files do not have. */
  removed: EntryId[];
  /** Those that match and are in no file, as far as the page can have them; and how many there are of all pages. */
  ids: EntryId[];
  total: number;
}

/** With more entries or deletions, a run is faster. */
const most = { above: 200_000, removed: 10_000 };

interface Dependencies {
  db: Db;
  entries: Collection<EntryDocument>;
  milestones: MilestoneStore;
  horizon: HorizonStore;
  filterMs: number;
}

/** Undefined: the files do not suffice, or a run has changed them. Throws FilterTimeout. */
export function createBesideFiles({ db, entries, milestones, horizon, filterMs }: Dependencies) {
  const archives = db.collection<ArchiveDocument>(archivesName);
  const applications = db.collection<ApplicationDocument>('applications');
  const removals = db.collection<RemovalDocument>(removalsName);

  return async (
    {
      id,
      application,
      run,
      covers,
      lastRun,
    }: Pick<ArchiveRecord, 'id' | 'application' | 'run' | 'covers' | 'lastRun'>,
    page: MatchingPage,
  ): Promise<BesideFiles | undefined> => {
    if (!lastRun) return undefined;
    const { until = lowestId } = covers;
    if ((await milestones.count(application, undefined, toKey(application, until))) > most.above)
      return undefined;
    const own = { application: new ObjectId(application) };
    const { filter, from, to, order, cursor, start, limit } = page;

    async function read(
      session: ClientSession,
      end: EntryId | undefined,
      left: () => number,
    ): Promise<BesideFiles | undefined> {
      // A run takes away the removals that it has listed. Entries that were announced late are in no file.
      const isSame = { _id: new ObjectId(id), run, late: { $exists: false } };
      if (!(await archives.findOne(isSame, { session, projection: { _id: 1 } }))) return undefined;
      const { archivedUntil } =
        (await applications.findOne(
          { _id: own.application },
          { session, projection: { archivedUntil: 1 } },
        )) ?? {};
      const gone = removals.find(
        { ...own, version: { $gt: covers.announced } },
        { session, projection: { key: 1 }, limit: most.removed + 1 },
      );
      const removed = await gone.map(({ key }) => idOfKey(key)).toArray();
      if (removed.length > most.removed) return undefined;
      const besides = [
        { after: highest(until, archivedUntil) },
        ...(archivedUntil ? [{ until: archivedUntil }] : []),
      ];
      const found: BesideFiles = { after: archivedUntil, end, removed, ids: [], total: 0 };
      const isOldest = order === 'oldest';
      for (const where of besides) {
        const all = range(application, { from, to, ...where });
        const bounds = [
          ...(cursor ? [{ _id: { [isOldest ? '$gt' : '$lt']: toKey(application, cursor) } }] : []),
          ...(end ? [{ _id: { $lte: toKey(application, end) } }] : []),
        ];
        const matching = (...more: object[]) => ({ $and: [all, ...more, toQuery(filter)] });
        const options = { session, maxTimeMS: left() };
        found.total += await entries.countDocuments(matching(), options);
        if (limit === 0) continue;
        const sorted = entries.find(matching(...bounds), {
          ...options,
          sort: { _id: isOldest ? 1 : -1 },
          projection: { _id: 1 },
          limit: start + limit,
        });
        for await (const { _id } of sorted) found.ids.push(idOfKey(_id));
      }
      return found;
    }

    return inTime(filterMs, (left) => {
      if (order === 'newest') return inSnapshot(db, (session) => read(session, undefined, left));
      return horizon.inSnapshot(async (session, final) => {
        const bound = await horizon.of(application, final, session);
        return read(session, lastIdBefore(new Date(Math.min(bound, to?.getTime() ?? bound))), left);
      });
    });
  };
}
