import type { Collection, Filter } from 'mongodb';
import type { EntryDocument } from './entry-document.ts';
import { type EntryId, fromKey, toKey } from './entry-id.ts';
import { range } from './entry-range.ts';

const options = { sort: { _id: 1 }, projection: { _id: 1 } } as const;

export interface OldestEntries {
  /** Finds them: at most `limit`, if nothing comes between. */
  query: Filter<EntryDocument>;
  first: Place;
  /** The one behind them. */
  next: Place | undefined;
}

type Place = ReturnType<typeof fromKey>;

/**
 * The oldest entries of an application stored before `to`, or those from an entry on; undefined if there are none.
 *
 * A deletion of many entries continues with `next`, as MongoDB skips deleted keys slowly for some minutes.
 */
export async function oldestEntries(
  entries: Collection<EntryDocument>,
  application: string,
  { from, to, limit }: { from?: EntryId | undefined; to?: Date; limit: number },
): Promise<OldestEntries | undefined> {
  const all = range(application, { to });
  const first = from ? toKey(application, from) : (await entries.findOne(all, options))?._id;
  if (!first) return undefined;
  const query = { $and: [all, { _id: { $gte: first } }] };
  const next = (await entries.findOne(query, { ...options, skip: limit }))?._id;
  return {
    query: next ? { $and: [query, { _id: { $lt: next } }] } : query,
    first: fromKey(first),
    next: next && fromKey(next),
  };
}
