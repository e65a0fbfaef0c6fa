import { type Binary, type Collection, type Filter, MongoServerError } from 'mongodb';
import type { EntryDocument } from './entries.ts';
import { type Condition, FilterTimeout, toQuery } from './entry-filter.ts';
import { type EntryId, firstKeyAt, highestId, lowestId, toKey } from './entry-id.ts';
import type { Period } from './entry-range.ts';
import type { End, MilestoneStore } from './milestones.ts';

export type Selection = Period & { filter?: Condition[] | undefined };
export type Page = Selection & { start: number; limit: number; before?: EntryId | undefined };

interface Dependencies {
  entries: Collection<EntryDocument>;
  milestones: MilestoneStore;
  /** To skip so many costs less than to look where to begin. */
  near?: number | undefined;
  /** How long a filtered read may take. */
  filterMs: number;
}

const outOfTime = 50;

/** Pages and numbers of entries, at the same cost wherever they are; with a filter, at that of looking through them. */
export function createListing({ entries, milestones, near = 2_500, filterMs }: Dependencies) {
  const begin = (application: string, { from }: Period): Binary =>
    from ? firstKeyAt(application, from) : toKey(application, lowestId);

  function end(application: string, { to }: Period, before?: EntryId): End {
    const ends = [
      ...(to ? [firstKeyAt(application, to)] : []),
      ...(before ? [toKey(application, before)] : []),
    ];
    const [lowest] = ends.sort((a, b) => Buffer.compare(a.buffer, b.buffer));
    return lowest ? { $lt: lowest } : { $lte: toKey(application, highestId) };
  }

  /** Where to begin to be at the same place with less to skip. Undefined when there is no such place. */
  async function nearest(
    application: string,
    below: End,
    start: number,
  ): Promise<{ below: End; skip: number } | undefined> {
    const rank = (await milestones.count(application, below)) - start;
    if (rank < 1) return undefined;
    const next = await milestones.at(application, rank);
    const up = rank - next.below.rank;
    const down = next.above ? next.above.rank - rank : start;
    if (up === 0) return { below: { $lte: next.below.key }, skip: 0 };
    if (next.above && down <= Math.min(up, start)) return { below: { $lte: next.above.key }, skip: down };
    if (start <= up) return { below, skip: start };
    const upwards = entries.find({ _id: { $gt: next.below.key, ...below } }, { projection: { _id: 1 } });
    const [first] = await upwards
      .sort({ _id: 1 })
      .skip(up - 1)
      .limit(1)
      .toArray();
    return first && { below: { $lte: first._id }, skip: 0 };
  }

  function read(filter: Filter<EntryDocument>, skip: number, limit: number, maxTimeMS?: number) {
    const found = entries.find(filter, maxTimeMS === undefined ? {} : { maxTimeMS });
    return found.sort({ _id: -1 }).skip(skip).limit(limit).toArray();
  }

  async function inTime<T>(reading: Promise<T>): Promise<T> {
    try {
      return await reading;
    } catch (error) {
      const isSlow = error instanceof MongoServerError && error.code === outOfTime;
      throw isSlow ? new FilterTimeout(filterMs, error) : error;
    }
  }

  return {
    /** Newest first; `start` counts from `before`, the end of the period, or the newest entry. Throws FilterTimeout. */
    async page(application: string, { start, limit, before, filter, ...period }: Page) {
      const [$gte, below] = [begin(application, period), end(application, period, before)];
      if (filter) {
        const query = { _id: { $gte, ...below }, ...toQuery(filter) };
        return inTime(read(query, start, limit, filterMs));
      }
      const place = start <= near ? { below, skip: start } : await nearest(application, below, start);
      return place ? read({ _id: { $gte, ...place.below } }, place.skip, limit) : [];
    },

    /** Exact. With `until`, of the entries up to that one. Throws FilterTimeout. */
    async count(application: string, { filter, ...period }: Selection, until?: EntryId): Promise<number> {
      const below = { ...end(application, period), ...(until && { $lte: toKey(application, until) }) };
      if (!filter) return milestones.count(application, below, period.from && begin(application, period));
      const query = { _id: { $gte: begin(application, period), ...below }, ...toQuery(filter) };
      return inTime(entries.countDocuments(query, { maxTimeMS: filterMs }));
    },
  };
}
