import { Binary } from 'mongodb';
import { applicationOfKey, entryIdBytes, idOfKey, toKey } from './entry-id.ts';

/** Places of entries below a milestone, for a page to begin near them. They are right while nothing was deleted. */
export interface Marks {
  /** Each mark is this number of entries below the one before it, the first below the milestone. */
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

/** The lowest place at a rank or above it, among a milestone that is and its marks. */
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
