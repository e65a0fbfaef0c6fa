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
 * The oldest entries of an application, or those from one of them on, that were stored before `to`; undefined when there is none. Who
 * deletes many goes on with `next`: until MongoDB has cleared up, which takes minutes, it walks over all that was deleted below a
 * key that is not there.
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
