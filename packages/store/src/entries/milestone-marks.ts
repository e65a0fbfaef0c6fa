import { Binary } from 'mongodb';
import { applicationOfKey, entryIdBytes, idOfKey, toKey } from './entry-id.ts';

/** Keys of entries below a milestone: a page begins at the nearest. They are right until an entry is deleted. */
export interface Marks {
  /** Number of entries from one mark to the next. The first mark is this number below the milestone. */
  every: number;
  /** The ids of these entries, one after the other. */
  ids: Binary;
}

const marksPerMilestone = 10;

/** Marks for a milestone at the last of these keys. */
export function marksOf(keys: Binary[]): Marks {
  const every = Math.ceil(keys.length / marksPerMilestone);
  const marked = keys.toReversed().filter((_, down) => down > 0 && down % every === 0);
  return { every, ids: new Binary(Buffer.from(marked.map(idOfKey).join(''), 'hex')) };
}

/** Of a milestone at or above a rank and its marks, the lowest that is still at or above the rank. */
export function nearestMark<M extends { key: Binary; rank: number }>(
  milestone: M,
  { every, ids }: Marks,
  rank: number,
): { key: Binary; rank: number } {
  const marked = Math.floor(ids.length() / entryIdBytes);
  const nth = Math.min(marked, Math.floor((milestone.rank - rank) / every));
  if (nth === 0) return milestone;
  const id = ids.toString('hex').slice(2 * entryIdBytes * (nth - 1), 2 * entryIdBytes * nth);
  return { key: toKey(applicationOfKey(milestone.key), id), rank: milestone.rank - nth * every };
}
