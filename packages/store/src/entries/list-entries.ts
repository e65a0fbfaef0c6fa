import {
  type Binary,
  type ClientSession,
  type Collection,
  type Db,
  type Filter,
  MongoServerError,
} from 'mongodb';
import { inSnapshot } from '../in-snapshot.ts';
import type { EntryDocument } from './entry-document.ts';
import { type Condition, FilterTimeout, toQuery } from './entry-filter.ts';
import { type EntryId, firstKeyAt, highestId, lowestId, toKey } from './entry-id.ts';
import type { Period } from './entry-range.ts';
import type { End, MilestoneStore } from './milestones.ts';

export type Selection = Period & { filter?: Condition[] | undefined };
export type Page = Selection & {
  start: number;
  /** The last of so many only tells that there are more: it may be of any size. */
  limit: number;
  before?: EntryId | undefined;
  /** Told the bytes of each entry as it is read; what it throws ends the reading. */
  onRead?: ((bytes: number) => void) | undefined;
};

/** Of a page as BSON, but for a single entry: as objects they take up to five times as much. */
const pageBytes = 16 * 1024 ** 2;

/** The entries of a page are too large together. */
export class PageTooLarge extends Error {
  /** So many of them fit. */
  readonly fitting: number;

  constructor(fitting: number) {
    super(`${fitting} of the entries fit into a page`);
    this.fitting = fitting;
  }
}

interface Dependencies {
  db: Db;
  entries: Collection<EntryDocument>;
  milestones: MilestoneStore;
  /** How long a filtered read may take. */
  filterMs: number;
}

const outOfTime = 50;

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
    session: ClientSession,
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

  async function read(
    filter: Filter<EntryDocument>,
    { start, limit, onRead }: Pick<Page, 'start' | 'limit' | 'onRead'>,
    options: { maxTimeMS?: number; session?: ClientSession } = {},
  ): Promise<Uint8Array[]> {
    const cursor = entries.find(filter, { raw: true, ...options });
    const documents: AsyncIterable<unknown> = cursor.sort({ _id: -1 }).skip(start).limit(limit);
    const found: Uint8Array[] = [];
    let bytes = 0;
    for await (const document of documents as AsyncIterable<Uint8Array>) {
      bytes += document.length;
      onRead?.(document.length);
      const isLast = found.length === limit - 1;
      if (bytes > pageBytes && found.length > 0 && !isLast) throw new PageTooLarge(found.length);
      found.push(document);
    }
    return found;
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
    /**
     * The BSON of entries, newest first; `start` counts from `before`, the end of the period, or the newest entry. Throws
     * FilterTimeout and PageTooLarge.
     */
    async page(
      application: string,
      { start, limit, onRead, before, filter, ...period }: Page,
    ): Promise<Uint8Array[]> {
      const [$gte, below] = [begin(application, period), end(application, period, before)];
      if (filter) {
        const query = { _id: { $gte, ...below }, ...toQuery(filter) };
        return inTime(read(query, { start, limit, onRead }, { maxTimeMS: filterMs }));
      }
      // To skip so few costs less than to look where to begin.
      if (start <= milestones.spacing) return read({ _id: { $gte, ...below } }, { start, limit, onRead });
      return inSnapshot(db, async (session) => {
        const place = await nearest(session, application, below, start);
        if (!place) return [];
        return read({ _id: { $gte, ...place.below } }, { start: place.skip, limit, onRead }, { session });
      });
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
