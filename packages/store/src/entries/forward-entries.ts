import type { Binary, ClientSession, Collection, MongoClient } from 'mongodb';
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
}

interface Dependencies {
  client: MongoClient;
  entries: Collection<EntryDocument>;
  milestones: MilestoneStore;
  horizon: Pick<HorizonStore, 'read'>;
  /** The lowest time at which a job may still store entries of an application; see `createSetMilestones`. */
  openSince(application: string, session: ClientSession): Promise<number | undefined>;
  filterMs: number;
}

const oldestFirst = { _id: 1 } as const;

/** Pages that go forward, up to where no entry can come any more; see docs/decisions/0022-forward-sync.md. */
export function createForward({ client, entries, milestones, horizon, openSince, filterMs }: Dependencies) {
  /** Where to begin to be at the same place with less to skip. */
  async function nearest(application: string, above: Binary, start: number) {
    const rank = (await milestones.count(application, { $lte: above })) + start;
    const below = await milestones.below(application, rank);
    const isFurther = below !== undefined && Buffer.compare(below.key.buffer, above.buffer) > 0;
    return isFurther ? { above: below.key, skip: rank - below.rank } : { above, skip: start };
  }

  /**
   * Entries, oldest first; `start` counts from `after`, the begin of the period, or the oldest entry. `end` is where to go
   * on after the last page: all before it was read. Throws FilterTimeout and PageTooLarge.
   */
  return async function forward(
    application: string,
    { start, limit, onRead, after = lowestId, filter, from, to }: ForwardPage,
  ): Promise<ForwardEntries> {
    const begin = from ? lastIdBefore(from) : lowestId;
    const above = toKey(application, after > begin ? after : begin);
    return client.withSession(async (session) => {
      // Each of these reads sees what those before it saw.
      const final = await horizon.read(session);
      const until = Math.min(final, (await openSince(application, session)) ?? final, to?.getTime() ?? final);
      const options = { raw: true, sort: oldestFirst, session };
      const $lt = firstKeyAt(application, new Date(until));
      if (filter) {
        const query = { _id: { $gt: above, $lt }, ...toQuery(filter) };
        const documents = await inTime(filterMs, (maxTimeMS) =>
          readPage(entries.find(query, { ...options, maxTimeMS }), { start, limit, onRead }),
        );
        const reached = lastIdBefore(new Date(until));
        return { entries: documents.map(readDocument), end: reached > after ? reached : after };
      }
      const isNear = start <= milestones.spacing;
      const place = isNear ? { above, skip: start } : await nearest(application, above, start);
      const found = entries.find({ _id: { $gt: place.above, $lt } }, options);
      const documents = await readPage(found, { start: place.skip, limit, onRead });
      const page = documents.map(readDocument);
      return { entries: page, end: page.at(-1)?.id ?? after };
    });
  };
}
