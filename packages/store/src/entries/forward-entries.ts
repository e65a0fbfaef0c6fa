import type { Binary, ClientSession, Collection } from 'mongodb';
import type { EntryDocument, StoredEntry } from './entry-document.ts';
import { toQuery } from './entry-filter.ts';
import { type EntryId, firstKeyAt, lastIdBefore, lowestId, toKey } from './entry-id.ts';
import type { HorizonStore } from './horizon.ts';
import type { Selection } from './list-entries.ts';
import type { MilestoneStore } from './milestones.ts';
import { readDocument } from './read-document.ts';
import { inTime, type PageSize, readPage } from './read-page.ts';

export type ForwardPage = Selection & PageSize & { after?: EntryId | undefined };

export interface ForwardEntries {
  entries: StoredEntry[];
  /** Where to go on after the last page. */
  end?: EntryId;
  /** All of before this time (ms since the epoch) was there to be read. */
  final: number;
}

interface Dependencies {
  entries: Collection<EntryDocument>;
  milestones: MilestoneStore;
  horizon: HorizonStore;
  filterMs: number;
}

const oldestFirst = { _id: 1 } as const;

/** Pages that go forward, up to where no entry can come any more; see docs/decisions/0022-forward-sync.md. */
export function createForward({ entries, milestones, horizon, filterMs }: Dependencies) {
  /** Where to begin to be at the same place with less to skip. */
  async function nearest(session: ClientSession, application: string, above: Binary, start: number) {
    const rank = (await milestones.countIn(session, application, { $lte: above })) + start;
    const below = await milestones.below(session, application, rank);
    const isFurther = below !== undefined && Buffer.compare(below.key.buffer, above.buffer) > 0;
    return isFurther ? { above: below.key, skip: rank - below.rank } : { above, skip: start };
  }

  /** Those of before `final`, in ms since the epoch. */
  async function pageBefore(
    final: number,
    session: ClientSession,
    application: string,
    { start, limit, onRead, after = lowestId, filter, from, to }: ForwardPage,
  ): Promise<Omit<ForwardEntries, 'final'>> {
    const until = new Date(Math.min(final, to?.getTime() ?? final));
    const begin = from ? lastIdBefore(from) : lowestId;
    const above = toKey(application, after > begin ? after : begin);
    const $lt = firstKeyAt(application, until);
    const options = { raw: true, sort: oldestFirst, session };
    if (filter) {
      const query = { $and: [{ _id: { $gt: above, $lt } }, toQuery(filter)] };
      const documents = await inTime(filterMs, (left) =>
        readPage(entries.find(query, { ...options, maxTimeMS: left() }), { start, limit, onRead }),
      );
      const reached = lastIdBefore(until);
      return { entries: documents.map(readDocument), end: reached > after ? reached : after };
    }
    const isNear = start <= milestones.spacing;
    const place = isNear ? { above, skip: start } : await nearest(session, application, above, start);
    const found = entries.find({ _id: { $gt: place.above, $lt } }, options);
    const page = (await readPage(found, { start: place.skip, limit, onRead })).map(readDocument);
    return { entries: page, end: page.at(-1)?.id ?? after };
  }

  /**
   * Entries, oldest first; `start` counts from `after`, the begin of the period, or the oldest entry. All before `end` was read, if this
   * is the last page. Throws FilterTimeout and PageTooLarge.
   */
  return (application: string, page: ForwardPage): Promise<ForwardEntries> =>
    horizon.inSnapshot(async (session, final) => {
      const bound = await horizon.of(application, final, session);
      return { ...(await pageBefore(bound, session, application, page)), final: bound };
    });
}
