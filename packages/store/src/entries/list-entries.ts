import { keyBytesOf } from '@sluice/bson/entry.ts';
import {
  Binary,
  type ClientSession,
  type Collection,
  type Db,
  type Document,
  type Filter,
  type FindOptions,
} from 'mongodb';
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
  /** No entry of the application was ever deleted: milestones are exact, and no snapshot is needed. */
  isIntact?: boolean | undefined;
};
export type Page = Selection & PageSize & { before?: EntryId | undefined };

/** `documents` are BSON; `total` counts all entries of the selection. */
export interface Listed {
  documents: Uint8Array[];
  total: number;
}

type Range = End & { $gte: Binary };

interface Dependencies {
  db: Db;
  entries: Collection<EntryDocument>;
  milestones: MilestoneStore;
  /** How long a filtered read may take. */
  filterMs: number;
}

/** Pages and counts of entries, at the same cost at any depth. A filter looks at each entry. */
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

  /** The BSON of entries, newest first. */
  const read = (filter: Filter<EntryDocument>, size: PageSize, options: FindOptions = {}) =>
    readPage(entries.find(filter, { ...options, raw: true, sort: { _id: -1 } }), size);

  /** Exact. With `until`, of the entries up to that one. Throws FilterTimeout. */
  async function count(
    application: string,
    { filter, isIntact, ...period }: Selection,
    until?: EntryId,
  ): Promise<number> {
    const below = { ...end(application, period), ...(until && { $lte: toKey(application, until) }) };
    const from = period.from && begin(application, period);
    if (!filter && isIntact) return milestones.countIn(undefined, application, below, from);
    if (!filter) return milestones.count(application, below, from);
    const query = { $and: [{ _id: { $gte: begin(application, period), ...below } }, toQuery(filter)] };
    return inTime(filterMs, (left) => entries.countDocuments(query, { maxTimeMS: left() }));
  }

  /** Reads in one snapshot, unless nothing can change between reads. */
  const inMoment = <T>(isIntact: boolean | undefined, work: (session?: ClientSession) => Promise<T>) =>
    isIntact ? work() : inSnapshot(db, work);

  /** Looks at each entry once: those that the page looked at are not counted again. */
  async function readMatching(
    { $gte, ...below }: Range,
    matching: Document,
    size: PageSize,
    left: () => number,
    session?: ClientSession,
  ): Promise<Listed> {
    const among = (_id: Document) => ({ $and: [{ _id }, matching] });
    const documents = await read(among({ $gte, ...below }), size, { maxTimeMS: left(), session });
    const last = documents.at(-1);
    const seen = last ? size.start + documents.length : 0;
    const isAll = documents.length < size.limit && (last || size.start === 0);
    if (isAll) return { documents, total: seen };
    const others = among(last ? { $gte, $lt: new Binary(keyBytesOf(last)) } : { $gte, ...below });
    const total = seen + (await entries.countDocuments(others, { maxTimeMS: left(), session }));
    return { documents, total };
  }

  /** From the nearest milestone on. `rank`: how many there are below the end, of any time. */
  async function readDeep(
    application: string,
    { $gte, ...below }: Range,
    { start, ...size }: PageSize,
    session?: ClientSession,
  ) {
    const { rank, above } = await milestones.place(session, application, below, start);
    if (rank <= start) return { documents: [], rank };
    const down = above ? above.rank - (rank - start) : start;
    const place = above && down < start ? { $lte: above.key } : below;
    const page = { ...size, start: Math.min(down, start) };
    return { documents: await read({ _id: { $gte, ...place } }, page, { session }), rank };
  }

  return {
    /**
     * Newest first; `start` counts from `before`, the end of the period, or the newest entry. Throws FilterTimeout and
     * PageTooLarge.
     */
    async page(application: string, { start, limit, onRead, before, ...selection }: Page): Promise<Listed> {
      const { filter, isIntact, ...period } = selection;
      const size = { start, limit, onRead };
      const range = { $gte: begin(application, period), ...end(application, period, before) };
      const withTotal = async (reading: Promise<Uint8Array[]>): Promise<Listed> => {
        const [documents, total] = await bothOf(reading, count(application, selection));
        return { documents, total };
      };
      if (filter && before) {
        const query = { $and: [{ _id: range }, toQuery(filter)] };
        return withTotal(inTime(filterMs, (left) => read(query, size, { maxTimeMS: left() })));
      }
      if (filter) {
        const query = toQuery(filter);
        return inTime(filterMs, (left) =>
          inMoment(isIntact, (session) => readMatching(range, query, size, left, session)),
        );
      }
      // To skip so few costs less than to look where to begin.
      if (start <= milestones.spacing) return withTotal(read({ _id: range }, size));
      const reading = inMoment(isIntact, (session) => readDeep(application, range, size, session));
      if (before || period.from) return withTotal(reading.then(({ documents }) => documents));
      const { documents, rank } = await reading;
      return { documents, total: rank };
    },

    count,
  };
}

/** If one fails, the other still uses a connection: waits for both. */
async function bothOf<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}
