import type { Binary, ClientSession, Collection, Db, Filter, FindOptions } from 'mongodb';
import { inSnapshot } from '../in-snapshot.ts';
import type { EntryDocument } from './entry-document.ts';
import { type Condition, toQuery } from './entry-filter.ts';
import { type EntryId, firstKeyAt, highestId, lowestId, toKey } from './entry-id.ts';
import type { Period } from './entry-range.ts';
import type { End } from './milestone-document.ts';
import type { MilestoneStore } from './milestones.ts';
import { inTime, type PageSize, readPage } from './read-page.ts';

export type Selection = Period & {
  filter?: Condition[] | undefined;
  /** No entry of the application was deleted ever: milestones count what is there, and no snapshot is needed. */
  isIntact?: boolean | undefined;
};
export type Page = Selection & PageSize & { before?: EntryId | undefined };

interface Dependencies {
  db: Db;
  entries: Collection<EntryDocument>;
  milestones: MilestoneStore;
  /** How long a filtered read may take. */
  filterMs: number;
}

/** Pages and numbers of entries, at the same cost wherever they are; with a filter, at that of looking through them. */
export function createListing({ db, entries, milestones, filterMs }: Dependencies) {
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
    session: ClientSession | undefined,
    application: string,
    below: End,
    start: number,
  ): Promise<{ below: End; skip: number } | undefined> {
    const rank = (await milestones.countIn(session, application, below)) - start;
    if (rank < 1) return undefined;
    const above = await milestones.above(session, application, rank);
    const down = above ? above.rank - rank : start;
    return above && down < start ? { below: { $lte: above.key }, skip: down } : { below, skip: start };
  }

  /** The BSON of entries, newest first. */
  const read = (filter: Filter<EntryDocument>, size: PageSize, options: FindOptions = {}) =>
    readPage(entries.find(filter, { ...options, raw: true, sort: { _id: -1 } }), size);

  return {
    /**
     * The BSON of entries, newest first; `start` counts from `before`, the end of the period, or the newest entry. Throws
     * FilterTimeout and PageTooLarge.
     */
    async page(
      application: string,
      { start, limit, onRead, before, filter, isIntact, ...period }: Page,
    ): Promise<Uint8Array[]> {
      const [$gte, below] = [begin(application, period), end(application, period, before)];
      if (filter) {
        const query = { _id: { $gte, ...below }, ...toQuery(filter) };
        return inTime(filterMs, (maxTimeMS) => read(query, { start, limit, onRead }, { maxTimeMS }));
      }
      // To skip so few costs less than to look where to begin.
      if (start <= milestones.spacing) return read({ _id: { $gte, ...below } }, { start, limit, onRead });
      const readDeep = async (session?: ClientSession) => {
        const place = await nearest(session, application, below, start);
        if (!place) return [];
        return read({ _id: { $gte, ...place.below } }, { start: place.skip, limit, onRead }, { session });
      };
      return isIntact ? readDeep() : inSnapshot(db, readDeep);
    },

    /** Exact. With `until`, of the entries up to that one. Throws FilterTimeout. */
    async count(
      application: string,
      { filter, isIntact, ...period }: Selection,
      until?: EntryId,
    ): Promise<number> {
      const below = { ...end(application, period), ...(until && { $lte: toKey(application, until) }) };
      const from = period.from && begin(application, period);
      if (!filter && isIntact) return milestones.countIn(undefined, application, below, from);
      if (!filter) return milestones.count(application, below, from);
      const query = { _id: { $gte: begin(application, period), ...below }, ...toQuery(filter) };
      return inTime(filterMs, (maxTimeMS) => entries.countDocuments(query, { maxTimeMS }));
    },
  };
}
