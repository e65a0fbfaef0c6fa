import type { Filter } from 'mongodb';
import type { EntryDocument } from './entry-document.ts';
import { type EntryId, firstKeyAt, highestId, lowestId, toKey } from './entry-id.ts';

/** `from` is included, `to` is not. */
export interface Period {
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Entries that no later version than this announced: see `EntryDocument`. */
export const announcedBy = (version: number): Filter<EntryDocument> => ({
  $or: [{ announced: { $exists: false } }, { announced: { $lte: version } }],
});

/** A range of the collection: above `after`, up to `until` or below `before`, in the period. */
export function range(
  application: string,
  {
    from,
    to,
    after,
    until,
    before,
  }: Period & { after?: EntryId | undefined; until?: EntryId | undefined; before?: EntryId },
): Filter<EntryDocument> {
  const bounds = [
    { $gte: toKey(application, lowestId), $lte: toKey(application, highestId) },
    ...(from ? [{ $gte: firstKeyAt(application, from) }] : []),
    ...(to ? [{ $lt: firstKeyAt(application, to) }] : []),
    ...(after ? [{ $gt: toKey(application, after) }] : []),
    ...(until ? [{ $lte: toKey(application, until) }] : []),
    ...(before ? [{ $lt: toKey(application, before) }] : []),
  ];
  return { $and: bounds.map((_id) => ({ _id })) };
}
