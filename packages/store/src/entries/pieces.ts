import { type Collection, type Db, type Filter, ObjectId } from 'mongodb';
import type { EntryDocument } from './entry-document.ts';
import { type Condition, toQuery } from './entry-filter.ts';
import { type EntryId, idOfKey } from './entry-id.ts';
import { type Period, range } from './entry-range.ts';
import { byKey, type MilestoneDocument } from './milestone-document.ts';

/** What to walk: above `after`, up to `until`. */
export interface Walked extends Period {
  filter?: Condition[] | undefined;
  after?: EntryId | undefined;
  until?: EntryId | undefined;
}

export interface Piece {
  query: Filter<EntryDocument>;
  /** The oldest of them; absent where none matches. */
  first: EntryId | undefined;
  /** Where the next piece begins, behind this one; absent at the end. */
  last: EntryId | undefined;
}

/** So many entries are looked through at a time for those that match. */
const lookedAt = 20_000;
const oldestFirst = { sort: { _id: 1 }, projection: { _id: 1 } } as const;

/**
 * Cuts entries into pieces of at most `limit`, oldest first. A piece without a match is yielded too, so that the caller can renew its
 * lease. Each piece begins behind the last: MongoDB skips deleted keys slowly for some minutes.
 */
export async function* pieces(
  entries: Collection<EntryDocument>,
  application: string,
  { filter, ...where }: Walked,
  limit: number,
): AsyncGenerator<Piece> {
  async function nth(query: Filter<EntryDocument>, n: number): Promise<EntryId | undefined> {
    const found = await entries.findOne(query, { ...oldestFirst, skip: n - 1 });
    return found ? idOfKey(found._id) : undefined;
  }

  for (let { after } = where; ; ) {
    const rest = { ...where, after };
    const looked = await nth(range(application, rest), filter ? lookedAt : limit);
    const upTo = (until = where.until): Filter<EntryDocument> => {
      const within = range(application, { ...rest, until });
      return filter ? { $and: [within, toQuery(filter)] } : within;
    };
    const full: EntryId | undefined = filter && (await nth(upTo(looked), limit));
    const last: EntryId | undefined = full ?? looked;
    const query = upTo(last);
    yield { query, first: await nth(query, 1), last };
    if (!last) return;
    after = last;
  }
}

/** Entries above `after`, up to `until`; `entries`: how many, about. */
export interface EntryRange {
  after?: EntryId | undefined;
  until: EntryId;
  entries: number;
}

/** So many entries are a range, or so many bytes of payloads: what a worker does in about a second. */
const rangeEntries = 25_000;
const rangeBytes = 4 * 1024 ** 2;
/** Where no milestone tells the bytes, as of what was just imported. */
const recentEntries = 5_000;

/** Splits the entries of an application up to one of them into ranges: at milestones, and behind these in pieces. `total`: how many there are. */
export async function splitEntries(
  db: Db,
  application: string,
  where: Period & { until: EntryId },
  total: number,
): Promise<EntryRange[]> {
  const own = { ...range(application, where), application: new ObjectId(application) };
  const milestones = db.collection<MilestoneDocument>('milestones');
  const found = milestones.find(own as Filter<MilestoneDocument>, { hint: byKey }).sort({ _id: 1 });
  const ranges: EntryRange[] = [];
  let left = total;
  function add(until: EntryId, entries: number): void {
    ranges.push({ after: ranges.at(-1)?.until, until, entries });
    left -= entries;
  }
  let begin: MilestoneDocument | undefined;
  for await (const milestone of found) {
    begin ??= milestone;
    const count = milestone.rank - begin.rank;
    if (count < rangeEntries && milestone.bytes - begin.bytes < rangeBytes) continue;
    add(idOfKey(milestone._id), count);
    begin = milestone;
  }
  const after = ranges.at(-1)?.until;
  if (after === where.until) return ranges;
  const entries = db.collection<EntryDocument>('entries');
  for await (const { last } of pieces(entries, application, { ...where, after }, recentEntries)) {
    add(last ?? where.until, last ? recentEntries : Math.max(left, 0));
    if (last === where.until) break;
  }
  return ranges;
}
