import type { Binary, Db } from 'mongodb';
import {
  applicationOfKey,
  createKeysAt,
  firstKeyAt,
  fromKey,
  highestId,
  lowestId,
  toKey,
} from '../entries/entry-id.ts';
import type { Period } from '../entries/entry-range.ts';
import type { Reason } from './refused-records.ts';

export interface ReasonCount extends Reason {
  /** The message of the first of them. */
  message: string;
  count: number;
  firstAt: Date;
  lastAt: Date;
}

/** What one process refused of an application within a minute. */
export interface MinuteCounts {
  /** The application, the minute and this process. */
  key: Binary;
  total: number;
  reasons: ReasonCount[];
}

interface CountsDocument {
  _id: Binary;
  total: number;
  reasons: ReasonCount[];
}

export interface MinuteTotal {
  at: Date;
  total: number;
}

const minuteMs = 60_000;
/** Of the counts of an application. */
const mostBytes = 64 * 1024 ** 2;

const all = (application: string) => ({
  $gte: toKey(application, lowestId),
  $lte: toKey(application, highestId),
});

/** Makes the keys of the counts of one process. */
export function createCountKeys(): (application: string, minute: number) => Binary {
  const newKey = createKeysAt();
  return (application, minute) => newKey(Buffer.from(application, 'hex'), minute);
}

export const minuteOf = (ms: number) => Math.floor(ms / minuteMs) * minuteMs;

/** The period of all minutes that a period touches. */
export const wholeMinutes = ({ from, to }: Period): Period => ({
  from: from && new Date(minuteOf(from.getTime())),
  to: to && new Date(minuteOf(to.getTime() + minuteMs - 1)),
});

/** How many uploads were refused, by application, minute and reason. */
export function refusalCountStore(db: Db, note: (applications: string[]) => Promise<void> = async () => {}) {
  const counts = db.collection<CountsDocument>('refusals');

  return {
    /** Writes totals, so it is idempotent. */
    async write(minutes: MinuteCounts[]): Promise<void> {
      const operations = minutes.map(({ key, ...counted }) => {
        const document = { _id: key, ...counted };
        const isLater = { $gte: ['$total', counted.total] };
        const update = [{ $replaceWith: { $cond: [isLater, '$$ROOT', { $literal: document }] } }];
        return { updateOne: { filter: { _id: key }, update, upsert: true } };
      });
      await counts.bulkWrite(operations, { ordered: false });
      await note([...new Set(minutes.map(({ key }) => applicationOfKey(key)))]);
    },

    /** The reasons of a period of whole minutes, most frequent first. */
    async totals(application: string, { from, to }: Period, limit: number): Promise<ReasonCount[]> {
      const $gte = firstKeyAt(application, from ?? new Date(0));
      const $lt = to && firstKeyAt(application, to);
      return counts
        .aggregate<ReasonCount>([
          { $match: { _id: { ...all(application), $gte, ...($lt && { $lt }) } } },
          { $unwind: '$reasons' },
          {
            $group: {
              _id: { path: '$reasons.path', keyword: '$reasons.keyword', property: '$reasons.property' },
              message: { $first: '$reasons.message' },
              count: { $sum: '$reasons.count' },
              firstAt: { $min: '$reasons.firstAt' },
              lastAt: { $max: '$reasons.lastAt' },
            },
          },
          { $sort: { count: -1, _id: 1 } },
          { $limit: limit },
          { $replaceWith: { $mergeObjects: ['$$ROOT', '$_id'] } },
          { $project: { _id: 0 } },
        ])
        .toArray();
    },

    /** How many were refused in each minute of a period of whole minutes. A minute may come several times. */
    async byMinute(application: string, { from, to }: Required<Period>): Promise<MinuteTotal[]> {
      const _id = { $gte: firstKeyAt(application, from as Date), $lt: firstKeyAt(application, to as Date) };
      const found = counts.find({ _id }).project<Pick<CountsDocument, '_id' | 'total'>>({ total: 1 });
      return (await found.toArray()).map(({ _id, total }) => ({ at: fromKey(_id).createdAt, total }));
    },

    /** Refused uploads since a whole minute, by application; applications without any are absent. */
    async since(applications: string[], from: Date): Promise<Map<string, number>> {
      const $or = applications.map((application) => ({
        _id: { ...all(application), $gte: firstKeyAt(application, from) },
      }));
      const found = counts.find({ $or }).project<Pick<CountsDocument, '_id' | 'total'>>({ total: 1 });
      const totals = new Map<string, number>();
      for await (const { _id, total } of found) {
        const application = applicationOfKey(_id);
        totals.set(application, (totals.get(application) ?? 0) + total);
      }
      return totals;
    },

    /** Removes counts before a time, then the oldest until the rest is within the limit. */
    async trim(application: string, before: Date): Promise<void> {
      const _id = all(application);
      await counts.deleteMany({ _id: { ...all(application), $lt: firstKeyAt(application, before) } });
      const newestFirst = counts.find({ _id }).sort({ _id: -1 });
      let bytes = 0;
      const sizes = newestFirst.project<{ _id: Binary; size: number }>({ size: { $bsonSize: '$$ROOT' } });
      for await (const found of sizes) {
        bytes += found.size;
        if (bytes > mostBytes) return void (await counts.deleteMany({ _id: { ..._id, $lte: found._id } }));
      }
    },

    /** Applications that have some. */
    async *applications(): AsyncGenerator<string> {
      for (let $gt = toKey('0'.repeat(24), lowestId); ; ) {
        const next = await counts.findOne({ _id: { $gt } }, { sort: { _id: 1 }, projection: { _id: 1 } });
        if (!next) return;
        const application = applicationOfKey(next._id);
        yield application;
        $gt = toKey(application, highestId);
      }
    },

    async removeAll(application: string): Promise<void> {
      await counts.deleteMany({ _id: all(application) });
    },
  };
}
