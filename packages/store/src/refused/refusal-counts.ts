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
import { addMissed, type KeyCount, type LossCounts, type Missed, sumOf } from './losses.ts';
import type { Reason } from './refused-records.ts';

export interface ReasonCount extends Reason {
  /** The message of the first refusal. */
  message: string;
  count: number;
  firstAt: Date;
  lastAt: Date;
}

/** What one process refused or lost of an application within a minute. */
export interface MinuteCounts {
  /** The application, the minute and this process. */
  key: Binary;
  /** Uploads that were refused for their content. */
  total: number;
  /** Absent: nothing. */
  lost?: LossCounts;
  /** Counts of uploads with ingest keys. The rest of the totals came without a key. */
  keys?: (KeyCount & { key: string })[];
  reasons: ReasonCount[];
}

/** How many uploads an hour refused for one reason. */
interface HourCount {
  at: Date;
  count: number;
}

interface CountsDocument extends Omit<MinuteCounts, 'key'> {
  _id: Binary;
  /** `total` and all of `lost`. */
  all: number;
}

type TotalsDocument = Pick<CountsDocument, '_id' | 'total' | 'lost'>;

export interface MinuteTotal extends Missed {
  at: Date;
}

export interface MinuteOfKeys {
  at: Date;
  /** One for each key, and one for uploads without a key. */
  keys: KeyCount[];
}

const minuteMs = 60_000;
/** The most that the counts of an application may have. */
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

/** The whole minutes that a period touches. */
export const wholeMinutes = ({ from, to }: Period): Period => ({
  from: from && new Date(minuteOf(from.getTime())),
  to: to && new Date(minuteOf(to.getTime() + minuteMs - 1)),
});

const reasonIn = (of: string) => ({
  path: `${of}.path`,
  keyword: `${of}.keyword`,
  property: `${of}.property`,
  reason: `${of}.reason`,
});

const summed = (of: string) => ({
  message: { $first: `${of}.message` },
  count: { $sum: `${of}.count` },
  firstAt: { $min: `${of}.firstAt` },
  lastAt: { $max: `${of}.lastAt` },
});

/** How many uploads were refused or lost, by application, minute, reason and key. */
export function refusalCountStore(db: Db, note: (applications: string[]) => Promise<void> = async () => {}) {
  const counts = db.collection<CountsDocument>('refusals');

  const within = (application: string, { from, to }: Required<Period>) => ({
    _id: { $gte: firstKeyAt(application, from as Date), $lt: firstKeyAt(application, to as Date) },
  });

  /** What was refused and lost in each minute of a period of whole minutes, by ingest key. A minute may come several times. */
  async function* byMinuteAndKey(
    application: string,
    period: Required<Period>,
  ): AsyncGenerator<MinuteOfKeys> {
    const found = counts.find(within(application, period));
    for await (const { _id, total, lost = {}, keys = [] } of found.project<CountsDocument>({ reasons: 0 })) {
      const others: KeyCount = { key: null, refused: total, lost: { ...lost } };
      for (const own of keys) addMissed(others, own, -1);
      yield { at: fromKey(_id).createdAt, keys: [...keys, others] };
    }
  }

  return {
    /** Writes totals, so it is idempotent. */
    async write(minutes: MinuteCounts[]): Promise<void> {
      const operations = minutes.map(({ key, ...counted }) => {
        const all = counted.total + sumOf(counted.lost ?? {});
        const document = { _id: key, all, ...counted };
        const isLater = { $gte: ['$all', all] };
        const update = [{ $replaceWith: { $cond: [isLater, '$$ROOT', { $literal: document }] } }];
        return { updateOne: { filter: { _id: key }, update, upsert: true } };
      });
      await counts.bulkWrite(operations, { ordered: false });
      await note([...new Set(minutes.map(({ key }) => applicationOfKey(key)))]);
    },

    /** The reasons of a period of whole minutes, most frequent first, with the counts of each hour since `hoursFrom`. */
    async totals(
      application: string,
      { from, to }: Period,
      limit: number,
      hoursFrom = new Date(0),
    ): Promise<(ReasonCount & { hours: HourCount[] })[]> {
      const $gte = firstKeyAt(application, from ?? new Date(0));
      const $lt = to && firstKeyAt(application, to);
      const at = '$reasons.lastAt';
      const hour = { $cond: [{ $gte: [at, hoursFrom] }, { $dateTrunc: { date: at, unit: 'hour' } }, null] };
      return counts
        .aggregate<ReasonCount & { hours: HourCount[] }>([
          { $match: { _id: { ...all(application), $gte, ...($lt && { $lt }) } } },
          { $unwind: '$reasons' },
          { $group: { _id: { ...reasonIn('$reasons'), hour }, ...summed('$reasons') } },
          {
            $group: {
              _id: reasonIn('$_id'),
              ...summed('$$ROOT'),
              hours: { $push: { at: '$_id.hour', count: '$count' } },
            },
          },
          { $sort: { count: -1, _id: 1 } },
          { $limit: limit },
          { $set: { hours: { $filter: { input: '$hours', cond: { $ne: ['$$this.at', null] } } } } },
          { $replaceWith: { $mergeObjects: ['$$ROOT', '$_id'] } },
          { $project: { _id: 0 } },
        ])
        .toArray();
    },

    /** What was refused and lost in each minute of a period of whole minutes. A minute may come several times. */
    async byMinute(application: string, period: Required<Period>): Promise<MinuteTotal[]> {
      const found = counts.find(within(application, period)).project<TotalsDocument>({ total: 1, lost: 1 });
      return (await found.toArray()).map(({ _id, total, lost = {} }) => ({
        at: fromKey(_id).createdAt,
        refused: total,
        lost,
      }));
    },

    byMinuteAndKey,

    /** What was refused and lost in a period of whole minutes, by ingest key. Keys without any are absent. */
    async byKey(application: string, period: Required<Period>): Promise<KeyCount[]> {
      const byKey = new Map<string | null, KeyCount>();
      for await (const { keys } of byMinuteAndKey(application, period)) {
        for (const own of keys) {
          const count = byKey.get(own.key) ?? { key: own.key, refused: 0, lost: {} };
          addMissed(count, own);
          byKey.set(own.key, count);
        }
      }
      return [...byKey.values()].filter(({ refused, lost }) => refused + sumOf(lost) > 0);
    },

    /** What was refused and lost since a whole minute, by application; applications without any are absent. */
    async since(applications: string[], from: Date): Promise<Map<string, Missed>> {
      const $or = applications.map((application) => ({
        _id: { ...all(application), $gte: firstKeyAt(application, from) },
      }));
      const found = counts.find({ $or }).project<TotalsDocument>({ total: 1, lost: 1 });
      const totals = new Map<string, Missed>();
      for await (const { _id, total, lost = {} } of found) {
        const application = applicationOfKey(_id);
        const missed = totals.get(application) ?? { refused: 0, lost: {} };
        addMissed(missed, { refused: total, lost });
        totals.set(application, missed);
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
