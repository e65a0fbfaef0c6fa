import { type Binary, type Db, ObjectId } from 'mongodb';
import { isDuplicate } from '../faults.ts';
import type { EntryDocument } from './entry-document.ts';
import { firstKeyAt, highestId, lowestId, toKey } from './entry-id.ts';

/** `rank`: how many entries the application has up to this key, and with it. `bytes`: of their payloads, as BSON. */
export interface Milestone {
  key: Binary;
  rank: number;
  bytes: number;
}

/** Where a range of keys ends. */
export interface End {
  $lt?: Binary;
  $lte?: Binary;
}

interface MilestoneDocument {
  /** The key of an entry. */
  _id: Binary;
  application: ObjectId;
  rank: number;
  bytes: number;
}

const ascending = { _id: 1 } as const;
const descending = { _id: -1 } as const;

const toMilestone = ({ _id, rank, bytes }: MilestoneDocument): Milestone => ({ key: _id, rank, bytes });

export type MilestoneStore = ReturnType<typeof milestoneStore>;

/**
 * One milestone about every `spacing` entries, so that to count and to skip costs the same at any size. All of it is
 * made again when it is gone. See docs/decisions/0010-milestones.md.
 */
export function milestoneStore(db: Db, spacing = 2_500) {
  const milestones = db.collection<MilestoneDocument>('milestones');
  const entries = db.collection<EntryDocument>('entries');

  const beginOf = (application: string) => toKey(application, lowestId);
  const begin = (application: string): Milestone => ({ key: beginOf(application), rank: 0, bytes: 0 });
  const allOf = (application: string): End => ({ $lte: toKey(application, highestId) });

  /** The highest milestone of a range. */
  async function last(from: Binary, end: End): Promise<Milestone | undefined> {
    const found = await milestones.findOne({ _id: { $gte: from, ...end } }, { sort: descending });
    return found ? toMilestone(found) : undefined;
  }

  async function lastOf(application: string): Promise<Milestone> {
    return (await last(beginOf(application), allOf(application))) ?? begin(application);
  }

  /** As many entries further, or as far as there are some. */
  async function further({ key, rank, bytes }: Milestone, end: End, limit: number): Promise<Milestone> {
    const pipeline = [
      { $match: { _id: { $gt: key, ...end } } },
      { $sort: ascending },
      { $limit: limit },
      {
        $group: {
          _id: null,
          last: { $last: '$_id' },
          count: { $sum: 1 },
          size: { $sum: { $bsonSize: '$payload' } },
        },
      },
    ];
    const [sums] = await entries.aggregate<{ last: Binary; count: number; size: number }>(pipeline).toArray();
    return sums
      ? { key: sums.last, rank: rank + sums.count, bytes: bytes + sums.size }
      : { key, rank, bytes };
  }

  /** Another worker may have been quicker; but then with the same. */
  async function add(application: string, { key, rank, bytes }: Milestone): Promise<void> {
    try {
      await milestones.insertOne({ _id: key, application: new ObjectId(application), rank, bytes });
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      const there = await milestones.findOne({ _id: key });
      if (there?.rank !== rank)
        throw new Error(`not the only milestone of rank ${rank}, or of its key: an entry came late`);
    }
  }

  return {
    spacing,

    /** How many entries there are, exactly. `from` is included; without it, it is the rank of the end. */
    async count(application: string, end: End = allOf(application), from?: Binary): Promise<number> {
      const lower = from ?? beginOf(application);
      const highest = await last(lower, end);
      if (!highest) return entries.countDocuments({ _id: { $gte: lower, ...end } });
      const beyond = entries.countDocuments({ _id: { $gt: highest.key, ...end } });
      if (!from) return highest.rank + (await beyond);
      const lowest = await milestones.findOne({ _id: { $gte: from, ...end } }, { sort: ascending });
      const { key, rank } = lowest ? toMilestone(lowest) : highest;
      const before = entries.countDocuments({ _id: { $gte: from, $lte: key } });
      return (await before) + highest.rank - rank + (await beyond);
    },

    /** Exact; bytes are those of payloads, as BSON. Costs as much as to read the entries beyond the last milestone. */
    async usage(application: string): Promise<{ entries: number; bytes: number }> {
      const all = await further(await lastOf(application), allOf(application), Number.MAX_SAFE_INTEGER);
      return { entries: all.rank, bytes: all.bytes };
    },

    /** The first milestone at a rank or above it; undefined beyond the last one. */
    async above(application: string, rank: number): Promise<Milestone | undefined> {
      const filter = { application: new ObjectId(application), rank: { $gte: rank } };
      const found = await milestones.findOne(filter, { sort: { rank: 1 } });
      return found ? toMilestone(found) : undefined;
    },

    /** The last milestone at a rank or below it; undefined before the first one. */
    async below(application: string, rank: number): Promise<Milestone | undefined> {
      const filter = { application: new ObjectId(application), rank: { $lte: rank } };
      const found = await milestones.findOne(filter, { sort: { rank: -1 } });
      return found ? toMilestone(found) : undefined;
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
     * Sets at most `limit` further milestones below `bound` (ms since the epoch); returns how many. Nothing may be
     * inserted below the bound any more. May run in several workers at once.
     */
    async set(application: string, bound: number, limit: number): Promise<number> {
      const $lt = firstKeyAt(application, new Date(bound));
      let known = await lastOf(application);
      for (let set = 0; set < limit; set++) {
        const next = await further(known, { $lt }, spacing);
        if (next.rank < known.rank + spacing) return set;
        await add(application, next);
        known = next;
      }
      return limit;
    },
  };
}
