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

export type Stretch = Filter<EntryDocument>;

/**
 * The entries of a selection, piece by piece, oldest first: queries that find at most `limit` entries each. Undefined where none of a
 * piece matches, so that the reader is heard now and then.
 */
export async function* stretches(
  entries: Collection<EntryDocument>,
  application: string,
  { filter, ...period }: Selection,
  limit: number,
): AsyncGenerator<Stretch | undefined> {
  const matching = filter && toQuery(filter);

  async function nth(query: Filter<EntryDocument>, n: number): Promise<EntryId | undefined> {
    const found = await entries.findOne(query, { sort: oldestFirst, skip: n - 1, projection: keyOnly });
    return found ? fromKey(found._id).id : undefined;
  }

  for (let after: EntryId | undefined; ; ) {
    const rest = range(application, { ...period, after });
    const bound = await nth(rest, matching ? lookedAt : limit);
    const until = bound && { until: bound };
    const query: Stretch = { ...range(application, { ...period, after, ...until }), ...matching };
    const last: EntryId | undefined = matching && (await nth(query, limit));
    if (last) yield { ...range(application, { ...period, after, until: last }), ...matching };
    else yield (await nth(query, 1)) ? query : undefined;
    after = last ?? bound;
    if (!after) return;
  }
}
