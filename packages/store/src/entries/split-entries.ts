import { type Db, type Filter, ObjectId } from 'mongodb';
import type { EntryDocument } from './entry-document.ts';
import { type EntryId, idOfKey } from './entry-id.ts';
import { type Period, range } from './entry-range.ts';
import { byKey, type MilestoneDocument } from './milestone-document.ts';

/** Entries above `after`, up to `until`; `entries`: how many, about. */
export interface EntryRange {
  after?: EntryId | undefined;
  until: EntryId;
  entries: number;
}

interface Where extends Period {
  until: EntryId;
}

/** So many entries are a range, or so many bytes of payloads: what a worker does in about a second. */
const rangeEntries = 25_000;
const rangeBytes = 4 * 1024 ** 2;
/** Where no milestone tells the bytes, as of what was just imported. */
const recentEntries = 5_000;
const oldestFirst = { sort: { _id: 1 }, projection: { _id: 1 } } as const;

/** Splits the entries of an application up to one of them into ranges, first at milestones. `total`: how many there are. */
export async function splitEntries(
  db: Db,
  application: string,
  where: Where,
  total: number,
): Promise<EntryRange[]> {
  const milestones = db.collection<MilestoneDocument>('milestones');
  const entries = db.collection<EntryDocument>('entries');
  const own = { ...range(application, where), application: new ObjectId(application) };
  const found = milestones.find(own as Filter<MilestoneDocument>, { hint: byKey }).sort({ _id: 1 });
  const ranges: EntryRange[] = [];
  let begin: MilestoneDocument | undefined;
  let left = total;
  for await (const milestone of found) {
    begin ??= milestone;
    const count = milestone.rank - begin.rank;
    if (count < rangeEntries && milestone.bytes - begin.bytes < rangeBytes) continue;
    ranges.push({ after: ranges.at(-1)?.until, until: idOfKey(milestone._id), entries: count });
    left -= count;
    begin = milestone;
  }
  for (;;) {
    const after = ranges.at(-1)?.until;
    if (after === where.until) return ranges;
    const recent = range(application, { ...where, after });
    const last = await entries.findOne(recent, { ...oldestFirst, skip: recentEntries - 1 });
    const until = last ? idOfKey(last._id) : where.until;
    ranges.push({ after, until, entries: last ? recentEntries : Math.max(left, 0) });
    left -= recentEntries;
    if (!last) return ranges;
  }
}
