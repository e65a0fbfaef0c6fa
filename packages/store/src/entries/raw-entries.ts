import { firstBatch, lastInt32 } from '@sluice/bson/documents.ts';
import { hasPayload, idOf } from '@sluice/bson/entry.ts';
import type { Binary, Db, Document } from 'mongodb';
import { type Cut, maxSkewMs } from './cuts.ts';
import type { EntryDocument } from './entry-document.ts';
import { allOf, type Condition, isPlain } from './entry-filter.ts';
import { type EntryId, fromKey } from './entry-id.ts';
import { type Period, range } from './entry-range.ts';
import { type EntryRange, splitEntries } from './pieces.ts';

export interface RawPage {
  /** The BSON of the documents that match, oldest first. */
  documents: Buffer[];
  /** Of the last entry that was looked at. */
  last: EntryId | undefined;
  /** Entries that were looked at, and their bytes as BSON. */
  read: { entries: number; bytes: number };
}

interface Where extends Period {
  after?: EntryId | undefined;
  until: EntryId;
  filter?: Condition[] | undefined;
}

const oldestFirst = { _id: 1 };

/**
 * Leaves the keys alone of entries that do not match: so a page looks at so many entries, however few match. `size` comes last, and
 * all others in the order of documents.
 */
const matching = (conditions: Condition[]): Document => ({
  payload: { $cond: [allOf(conditions), '$payload', '$$REMOVE'] },
  version: '$version',
  receivedAt: '$receivedAt',
  size: { $bsonSize: '$$ROOT' },
});

/** Undefined where MongoDB would misread a key. */
const onlyMembers = (keys?: string[]): Document | undefined =>
  keys && isPlain(keys) ? Object.fromEntries(keys.map((key) => [`payload.${key}`, 1])) : undefined;

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
    /**
     * Looks at the next `limit` entries after a place; at none when there is none up to `until`. May be fewer: an answer is at most
     * 16 MB. Payloads may have only those `members`.
     */
    async page(
      application: string,
      { limit, filter, members, ...where }: Where & { limit: number; members?: string[] | undefined },
    ): Promise<RawPage> {
      const query = { filter: range(application, where), sort: oldestFirst, limit, batchSize: limit };
      const projection = filter ? matching(filter) : onlyMembers(members);
      const found = await find(projection ? { ...query, projection } : query);
      const last = found.at(-1);
      const size = filter ? lastInt32 : (document: Buffer) => document.length;
      return {
        documents: filter ? found.filter(hasPayload) : found,
        last: last && idOf(last),
        read: { entries: found.length, bytes: found.reduce((sum, one) => sum + size(one), 0) },
      };
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
