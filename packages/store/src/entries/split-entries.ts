import type { Binary, Db, Filter } from 'mongodb';
import { type EntryId, idOfKey } from './entry-id.ts';
import { type Period, range } from './entry-range.ts';

/** Entries above `after`, up to `until`; `entries`: how many, about. */
export interface EntryRange {
  after?: EntryId | undefined;
  until: EntryId;
  entries: number;
}

interface Where extends Period {
  until: EntryId;
}

interface Milestone {
  _id: Binary;
  rank: number;
  bytes: number;
}

/** So many entries are a range, or so many bytes of payloads: what a worker does in about a second. */
const rangeEntries = 25_000;
const rangeBytes = 4 * 1024 ** 2;

/** Splits the entries of an application up to one of them into ranges, at milestones. `total`: how many there are. */
export async function splitEntries(
  db: Db,
  application: string,
  where: Where,
  total: number,
): Promise<EntryRange[]> {
  const milestones = db.collection<Milestone>('milestones');
  const found = milestones.find(range(application, where) as Filter<Milestone>).sort({ _id: 1 });
  const ranges: EntryRange[] = [];
  let begin: Milestone | undefined;
  let left = total;
  for await (const milestone of found) {
    begin ??= milestone;
    const entries = milestone.rank - begin.rank;
    if (entries < rangeEntries && milestone.bytes - begin.bytes < rangeBytes) continue;
    ranges.push({ after: ranges.at(-1)?.until, until: idOfKey(milestone._id), entries });
    left -= entries;
    begin = milestone;
  }
  const last = ranges.at(-1)?.until;
  if (last !== where.until) ranges.push({ after: last, until: where.until, entries: Math.max(left, 0) });
  return ranges;
}
