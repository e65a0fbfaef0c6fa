import { type Binary, type ClientSession, type Db, ObjectId } from 'mongodb';
import { archiveStore } from '../archives/archives.ts';
import { isDuplicate } from '../faults.ts';
import { inSnapshot } from '../in-snapshot.ts';
import { deletionGuard } from './deletion-guard.ts';
import type { EntryDocument } from './entry-document.ts';
import { firstKeyAt, highestId, lowestId, toKey } from './entry-id.ts';
import { furtherMilestone } from './further-milestone.ts';
import { horizonStore } from './horizon.ts';
import {
  byKey,
  type End,
  type Milestone,
  type MilestoneDocument,
  milestonesIn,
  type RankedKey,
} from './milestone-document.ts';
import { marksOf, nearestMark } from './milestone-marks.ts';
import { packTally, type Tallied, tallyOf } from './milestone-tally.ts';
import { corrected, type Removed, removedOf, storedRank } from './removed-entries.ts';

const ascending = { _id: 1 } as const;
const descending = { _id: -1 } as const;
/** Enough unless 10,000 entries have no milestone yet. */
const candidatesAtOnce = 4;

const toMilestone = ({ _id, rank, bytes }: MilestoneDocument): Milestone => ({ key: _id, rank, bytes });

export type MilestoneStore = ReturnType<typeof milestoneStore>;

/**
 * One milestone about every `spacing` entries, so that to count and to skip costs the same at any size. All of it is
 * made again when it is gone. See docs/decisions/0010-milestones.md.
 */
export function milestoneStore(db: Db, spacing = 2_500) {
  const milestones = db.collection<MilestoneDocument>('milestones');
  const entries = db.collection<EntryDocument>('entries');
  const guard = deletionGuard(db);
  const archives = archiveStore(db);
  const horizon = horizonStore(db);

  const { further, usageBeyond } = furtherMilestone(entries);
  const beginOf = (application: string) => toKey(application, lowestId);
  const begin = (application: string): Milestone => ({ key: beginOf(application), rank: 0, bytes: 0 });
  const allOf = (application: string): End => ({ $lte: toKey(application, highestId) });

  /** The highest milestone of a range, as it is stored. */
  async function last(
    application: string,
    from: Binary,
    end: End,
    session?: ClientSession,
  ): Promise<Milestone | undefined> {
    const range = milestonesIn(application, { $gte: from, ...end });
    const found = await milestones.findOne(range, { sort: descending, hint: byKey, session });
    return found ? toMilestone(found) : undefined;
  }

  async function lastOf(application: string, session?: ClientSession): Promise<Milestone> {
    return (await last(application, beginOf(application), allOf(application), session)) ?? begin(application);
  }

  /** False when entries were deleted since `version`, or another worker was quicker. */
  async function add(
    application: string,
    { key, tallied, ...sums }: Milestone & { tallied: Tallied[] },
    version: number,
  ): Promise<boolean> {
    const document = {
      _id: key,
      application: new ObjectId(application),
      ...sums,
      ...packTally(tallyOf(tallied)),
      marks: marksOf(tallied.map(({ _id }) => _id)),
    };
    try {
      return await guard.unlessChanged(application, version, async (session) => {
        await milestones.insertOne(document, { session });
      });
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      const there = await milestones.findOne({ _id: key, application: document.application });
      if (there?.rank === sums.rank) return true;
      throw new Error(`not the only milestone of rank ${sums.rank}, or of its key: an entry came late`);
    }
  }

  const countOf = (range: object, session?: ClientSession) =>
    entries.countDocuments({ _id: range }, { session });

  /** The first milestones at a rank or above it. */
  async function fromRank(
    session: ClientSession | undefined,
    application: string,
    rank: number,
    removed: Removed[],
    limit: number,
  ): Promise<(Milestone & Pick<MilestoneDocument, 'marks'>)[]> {
    const filter = { application: new ObjectId(application), rank: { $gte: storedRank(rank, removed) } };
    const options = {
      sort: { rank: 1 },
      limit,
      projection: { minutes: 0, senders: 0, proofs: 0 },
      session,
    } as const;
    const found = await milestones.find(filter, options).toArray();
    return found.map((milestone) => ({
      ...corrected(toMilestone(milestone), removed),
      marks: milestone.marks,
    }));
  }

  /** In the session of a snapshot; without one where nothing was ever deleted. */
  async function countIn(
    session: ClientSession | undefined,
    application: string,
    end: End,
    from?: Binary,
  ): Promise<number> {
    const lower = from ?? beginOf(application);
    const highest = await last(application, lower, end, session);
    if (!highest) return countOf({ $gte: lower, ...end }, session);
    const [removed, beyond, lowest] = await Promise.all([
      session ? removedOf(db, application, session) : [],
      countOf({ $gt: highest.key, ...end }, session),
      from &&
        milestones.findOne(milestonesIn(application, { $gte: from, ...end }), {
          sort: ascending,
          hint: byKey,
          session,
        }),
    ]);
    const upper = corrected(highest, removed).rank + beyond;
    if (!from || !lowest) return upper;
    const before = await countOf({ $gte: from, $lte: lowest._id }, session);
    return before + upper - corrected(toMilestone(lowest), removed).rank;
  }

  return {
    spacing,

    /** How many entries there are, exactly. `from` is included; without it, it is the rank of the end. */
    count: (application: string, end: End = allOf(application), from?: Binary): Promise<number> =>
      inSnapshot(db, (session) => countIn(session, application, end, from)),

    countIn,

    /** Exact; bytes are payloads as BSON. It reads the entries after the last milestone. */
    usage: (application: string): Promise<{ entries: number; bytes: number }> =>
      inSnapshot(db, async (session) => {
        const highest = await lastOf(application, session);
        const [removed, beyond] = await Promise.all([
          removedOf(db, application, session),
          usageBeyond(highest, allOf(application), session),
        ]);
        const { rank, bytes } = corrected(highest, removed);
        return { entries: rank + beyond.entries, bytes: bytes + beyond.bytes };
      }),

    /**
     * `rank`: the exact number of entries up to the end. `above`: a place at or closely above the entry at index `start`;
     * undefined beyond the last milestone. The session is as for `countIn`.
     */
    async place(
      session: ClientSession | undefined,
      application: string,
      end: End,
      start: number,
    ): Promise<{ rank: number; above: RankedKey | undefined }> {
      const highest = await last(application, beginOf(application), end, session);
      const removed = session ? await removedOf(db, application, session) : [];
      const { key, rank: known } = corrected(highest ?? begin(application), removed);
      // Those of the lowest rank that it can be, while the rest is counted.
      const [beyond, candidates] = await Promise.all([
        countOf({ $gt: key, ...end }, session),
        fromRank(session, application, known - start, removed, candidatesAtOnce),
      ]);
      const rank = known + beyond;
      let above = candidates.find((candidate) => candidate.rank >= rank - start);
      if (!above && candidates.length === candidatesAtOnce)
        [above] = await fromRank(session, application, rank - start, removed, 1);
      // In a session entries may have been deleted, so marks may be wrong.
      if (session || !above) return { rank, above };
      return { rank, above: nearestMark(above, above.marks, rank - start) };
    },

    /** The last milestone at a rank or below it, in the session of a snapshot; undefined before the first one. */
    async below(session: ClientSession, application: string, rank: number): Promise<Milestone | undefined> {
      const removed = await removedOf(db, application, session);
      const filter = { application: new ObjectId(application), rank: { $lt: storedRank(rank + 1, removed) } };
      const found = await milestones.findOne(filter, { sort: { rank: -1 }, session });
      return found ? corrected(toMilestone(found), removed) : undefined;
    },

    /**
     * How many entries of before `bound` (ms since the epoch) have no milestone above them, those of before `since` left
     * out. Does not count beyond `spacing`.
     */
    async countAbove(application: string, bound: number, since?: number): Promise<number> {
      const from =
        since === undefined
          ? { $gt: (await lastOf(application)).key }
          : { $gte: firstKeyAt(application, new Date(since)) };
      const $lt = firstKeyAt(application, new Date(bound));
      return entries.countDocuments({ _id: { ...from, $lt } }, { limit: spacing });
    },

    /**
     * Removes milestones from a time on (ms since the epoch), before older entries are stored. They are set again.
     * Returns the version that announces these entries; `announce` is called in the transaction.
     */
    removeFrom: (
      application: string,
      since: number,
      announce?: (session: ClientSession, version: number) => Promise<void>,
    ): Promise<number> =>
      guard.backdate(application, async (session, version) => {
        await announce?.(session, version);
        await archives.noteLate(session, application, new Date(since), version);
        const range = { $gte: firstKeyAt(application, new Date(since)), ...allOf(application) };
        await milestones.deleteMany(milestonesIn(application, range), { hint: byKey, session });
      }),

    /** Removes all milestones of an application, after hashes of its entries have changed. They are set again. */
    reset: (application: string): Promise<void> =>
      guard.change(application, async (session) => {
        const all = milestonesIn(application, { $gte: beginOf(application), ...allOf(application) });
        await milestones.deleteMany(all, { hint: byKey, session });
      }),

    /** Changes whenever a count may have become wrong. */
    version: guard.version,

    /**
     * Sets at most `limit` further milestones below `bound` (ms since the epoch) and the horizon; returns how many. May run in several
     * workers at once, and beside deletions and imports.
     */
    async set(application: string, bound: number, limit: number): Promise<number> {
      for (let set = 0; set < limit; ) {
        const found = await horizon.inSnapshot(async (session, final) => {
          const version = await guard.version(application, session);
          const below = Math.min(bound, await horizon.of(application, final, session));
          const $lt = firstKeyAt(application, new Date(below));
          const known = await lastOf(application, session);
          const next = await further(known, { $lt }, spacing, session);
          return next.rank < known.rank + spacing ? undefined : { next, version };
        });
        if (!found) return set;
        if (await add(application, found.next, found.version)) set += 1;
      }
      return limit;
    },
  };
}
