import type { Binary, Db, Document } from 'mongodb';
import { type Cut, maxSkewMs } from './cuts.ts';
import type { EntryDocument } from './entry-document.ts';
import { type EntryId, fromKey } from './entry-id.ts';
import { type Period, range } from './entry-range.ts';
import { firstBatch, idOf } from './raw-document.ts';
import { type EntryRange, splitEntries } from './split-entries.ts';

export interface RawPage {
  /** The BSON of the documents, oldest first. */
  documents: Buffer[];
  /** Of the last of them. */
  last: EntryId | undefined;
}

interface Where extends Period {
  after?: EntryId | undefined;
  until: EntryId;
}

const oldestFirst = { _id: 1 };

/** Entries as they are stored, without making objects of them. */
export function rawEntries(db: Db) {
  const entries = db.collection<EntryDocument>('entries');

  async function find(command: Document): Promise<Buffer[]> {
    const reply = await db.command(
      { find: entries.collectionName, singleBatch: true, readConcern: { level: 'majority' }, ...command },
      { raw: true } as object,
    );
    return firstBatch((reply as { cursor: Uint8Array }).cursor);
  }

  return {
    /** The next entries after a place; none when there is none up to `until`. May be fewer than `limit`: an answer is at most 16 MB. */
    async page(application: string, { limit, ...where }: Where & { limit: number }): Promise<RawPage> {
      const filter = range(application, where);
      const documents = await find({ filter, sort: oldestFirst, limit, batchSize: limit });
      const last = documents.at(-1);
      return { documents, last: last && idOf(last) };
    },

    /** Ranges of all entries up to `until`, to be read by several workers. `total`: how many there are. */
    split: (application: string, where: Period & { until: EntryId }, total: number): Promise<EntryRange[]> =>
      splitEntries(db, application, where, total),

    /** What an export that begins now has; undefined when there is nothing. See `Cut`. */
    async cut(application: string): Promise<Cut | undefined> {
      const newest = entries.find(range(application, {})).sort({ _id: -1 }).limit(1);
      const [found] = await newest.project<{ _id: Binary }>({ _id: 1 }).toArray();
      if (!found) return undefined;
      const { id: until, createdAt } = fromKey(found._id);
      // By any clock a new entry comes to lie above.
      if (createdAt.getTime() + 2 * maxSkewMs < Date.now())
        return { until, since: createdAt.getTime() + 1, counters: {} };
      const since = createdAt.getTime() - maxSkewMs;
      const counters: Cut['counters'] = {};
      const recent = entries.find(range(application, { from: new Date(since), until }));
      for await (const { _id } of recent.project<{ _id: Binary }>({ _id: 1 }).batchSize(10_000)) {
        const key = Buffer.from(_id.buffer);
        const process = key.toString('hex', 18, 22);
        counters[process] = Math.max(counters[process] ?? 0, key.readUInt32BE(22));
      }
      return { until, since, counters };
    },
  };
}

export type RawEntries = ReturnType<typeof rawEntries>;
