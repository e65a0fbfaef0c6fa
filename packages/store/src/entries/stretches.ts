import type { Collection, Filter } from 'mongodb';
import type { EntryDocument } from './entry-document.ts';
import { toQuery } from './entry-filter.ts';
import { type EntryId, fromKey } from './entry-id.ts';
import { range } from './entry-range.ts';
import type { Selection } from './list-entries.ts';

/** So many entries are looked through at a time for those that match. */
const lookedAt = 20_000;
const oldestFirst = { _id: 1 } as const;
const keyOnly = { _id: 1 } as const;

/** A piece of a selection: what finds its entries, absent where none matches, and its last one, absent where it is the end. */
export interface Stretch {
  query?: Filter<EntryDocument>;
  last?: EntryId | undefined;
}

/**
 * Cuts a selection into pieces of at most `limit` entries, oldest first, beginning behind `from`. A piece without a match is yielded too, so
 * that the caller can renew its lease.
 */
export async function* stretches(
  entries: Collection<EntryDocument>,
  application: string,
  { filter, ...period }: Selection,
  limit: number,
  from?: EntryId,
): AsyncGenerator<Stretch> {
  const matching = filter && toQuery(filter);
  const within = (where: Parameters<typeof range>[1]): Filter<EntryDocument> => {
    const inRange = range(application, { ...period, ...where });
    return matching ? { $and: [inRange, matching] } : inRange;
  };

  async function nth(query: Filter<EntryDocument>, n: number): Promise<EntryId | undefined> {
    const found = await entries.findOne(query, { sort: oldestFirst, skip: n - 1, projection: keyOnly });
    return found ? fromKey(found._id).id : undefined;
  }

  for (let after = from; ; ) {
    const rest = range(application, { ...period, after });
    const bound = await nth(rest, matching ? lookedAt : limit);
    const until = bound && { until: bound };
    const query = within({ after, ...until });
    const last: EntryId | undefined = matching && (await nth(query, limit));
    if (last) yield { query: within({ after, until: last }), last };
    else yield { ...((await nth(query, 1)) && { query }), last: bound };
    after = last ?? bound;
    if (!after) return;
  }
}
