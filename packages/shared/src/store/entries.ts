import { type Db, type Filter, ObjectId } from 'mongodb';
import { within } from '../deadline.ts';

/** A place in the order of an application's entries. */
export interface EntryKey {
  createdAt: Date;
  id: string;
}

export interface StoredEntry extends EntryKey {
  payload: Record<string, unknown>;
}

interface EntryDocument {
  _id: ObjectId;
  application: ObjectId;
  createdAt: Date;
  payload: Record<string, unknown>;
}

/** `from` is included, `to` is not. */
export interface Period {
  from?: Date | undefined;
  to?: Date | undefined;
}

const newestFirst = { createdAt: -1, _id: -1 } as const;
const oldestFirst = { createdAt: 1, _id: 1 } as const;

const toEntry = ({ _id, createdAt, payload }: EntryDocument): StoredEntry => ({
  id: _id.toHexString(),
  createdAt,
  payload,
});

function inPeriod(application: string, { from, to }: Period): Filter<EntryDocument> {
  const createdAt = { ...(from && { $gte: from }), ...(to && { $lt: to }) };
  return { application: new ObjectId(application), ...(from || to ? { createdAt } : {}) };
}

/** A range of the compound key, written so that the index bounds both ends. */
function beyond(operator: '$lt' | '$gt' | '$lte', key: EntryKey): Filter<EntryDocument> {
  const outer = operator === '$gt' ? '$gte' : '$lte';
  const strict = operator === '$gt' ? '$gt' : '$lt';
  return {
    createdAt: { [outer]: key.createdAt },
    $or: [
      { createdAt: { [strict]: key.createdAt } },
      { createdAt: key.createdAt, _id: { [operator]: new ObjectId(key.id) } },
    ],
  };
}

export type EntryStore = ReturnType<typeof entryStore>;

/** Entries of all applications, in the order of `createdAt`, ties broken by id. */
export function entryStore(db: Db, timeoutMs: number) {
  const entries = db.collection<EntryDocument>('entries');
  return {
    async prepare() {
      await entries.createIndex({ application: 1, createdAt: 1, _id: 1 });
    },

    /**
     * Resolves once the entry is durable on a majority. The payload must have passed `readPayload`.
     * Rejects after the time limit, though the entry may still be stored.
     */
    async insert(application: string, payload: Record<string, unknown>): Promise<StoredEntry> {
      const document = {
        _id: new ObjectId(),
        application: new ObjectId(application),
        createdAt: new Date(),
        payload,
      };
      await within(timeoutMs, 'the insert was not confirmed in time', entries.insertOne(document));
      return toEntry(document);
    },

    /** Newest first; `start` counts from `after`, or from the newest entry. */
    async page(
      application: string,
      {
        start,
        limit,
        after,
        ...period
      }: Period & { start: number; limit: number; after?: EntryKey | undefined },
    ): Promise<StoredEntry[]> {
      const filter = { $and: [inPeriod(application, period), ...(after ? [beyond('$lt', after)] : [])] };
      const found = entries.find(filter).sort(newestFirst).skip(start).limit(limit);
      return (await found.toArray()).map(toEntry);
    },

    /** Exact. */
    count(application: string, period: Period, until?: EntryKey): Promise<number> {
      const filter = { $and: [inPeriod(application, period), ...(until ? [beyond('$lte', until)] : [])] };
      return entries.countDocuments(filter);
    },

    async newestKey(application: string): Promise<EntryKey | undefined> {
      const found = entries
        .find({ application: new ObjectId(application) })
        .sort(newestFirst)
        .limit(1);
      const [newest] = await found.project<EntryDocument>({ createdAt: 1 }).toArray();
      return newest && { createdAt: newest.createdAt, id: newest._id.toHexString() };
    },

    /** The next entries after a key, oldest first, none beyond `until`. */
    async range(
      application: string,
      {
        after,
        until,
        limit,
        ...period
      }: Period & { after?: EntryKey | undefined; until: EntryKey; limit: number },
    ): Promise<StoredEntry[]> {
      const bounds = [
        inPeriod(application, period),
        beyond('$lte', until),
        ...(after ? [beyond('$gt', after)] : []),
      ];
      return (await entries.find({ $and: bounds }).sort(oldestFirst).limit(limit).toArray()).map(toEntry);
    },

    /** Deletes at most `limit` entries; returns how many. */
    async purge(application: string, limit: number): Promise<number> {
      const found = entries
        .find({ application: new ObjectId(application) })
        .sort(oldestFirst)
        .limit(limit);
      const ids = (await found.project<{ _id: ObjectId }>({ _id: 1 }).toArray()).map(({ _id }) => _id);
      return ids.length === 0 ? 0 : (await entries.deleteMany({ _id: { $in: ids } })).deletedCount;
    },
  };
}
