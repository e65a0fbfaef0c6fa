import { Binary, type Db, type Filter, ObjectId } from 'mongodb';
import { createKeysAt } from '../entries/entry-id.ts';
import { PageTooLarge } from '../entries/read-page.ts';
import type { Writer } from '../entries/writer.ts';
import { isDuplicate } from '../faults.ts';
import type { ReasonCount } from './refusal-counts.ts';
import {
  type Reason,
  type RefusedDocument,
  type RefusedRecord,
  type RefusedSelection,
  toDocument,
  toRefused,
} from './refused-records.ts';

/** Of the payloads and details of an application. */
export const keptBytes = 64 * 1024 ** 2;
/** Of a page, unless it has only one. */
const pageBytes = 16 * 1024 ** 2;
/** Deleted by one command. */
const batch = 2_000;

export interface RefusedPage {
  start: number;
  /** The last document only shows that there are more, so it may have any size. */
  limit: number;
  /** Id of the record after which the page begins. */
  after?: string | undefined;
  /** Gets the bytes of each record as it is read; an error ends the reading. */
  onRead(bytes: number): void;
}

/** What is kept of a reason. `newest`: the id of the newest; `message`: of one of them. */
export interface KeptReason extends Omit<ReasonCount, 'count'> {
  kept: number;
  newest: string;
}

const newestFirst = { _id: -1 } as const;

/** Ids have the second in which they were made, just after `at`. */
const idAt = (ms: number) => ObjectId.createFromTime(Math.floor(ms / 1_000));

const applicationsOf = (records: RefusedRecord[]) =>
  Array.from(new Set(records.map(({ application }) => application)), (id) => new ObjectId(id));

/** The documents of an application that a selection means. */
export function matching(
  application: string,
  { from, to, path, keyword, property, key, reason }: RefusedSelection,
): Filter<RefusedDocument> {
  return {
    application: new ObjectId(application),
    ...((from || to) && {
      _id: { ...(from && { $gte: idAt(from.getTime()) }), ...(to && { $lt: idAt(to.getTime() + 2_000) }) },
      at: { ...(from && { $gte: from }), ...(to && { $lt: to }) },
    }),
    ...(path !== undefined && { path }),
    ...(keyword !== undefined && { keyword }),
    ...(property !== undefined && { property: property === '' ? { $exists: false } : property }),
    ...(key !== undefined && { key }),
    ...(reason !== undefined && { reason: reason === 'schema' ? { $exists: false } : reason }),
  };
}

export function refusedStore(db: Db, writer: Pick<Writer, 'write'>) {
  const refused = db.collection<RefusedDocument>('refused');
  const newKey = createKeysAt();

  /** Each gets a key of its own, for which the same holds as for those of entries: see docs/decisions/0022-forward-sync.md. */
  async function insert(records: RefusedRecord[], now: number): Promise<void> {
    const documents = records.map((record) =>
      toDocument(record, newKey(Buffer.from(record.application, 'hex'), now)),
    );
    await refused.insertMany(documents, { ordered: false });
  }

  /** Two refusals with one key are one: the newest stays. Call after they are stored, so that none is lost. */
  async function removeRepeated(records: RefusedRecord[]): Promise<void> {
    const keyed = records.filter(({ idempotencyHash }) => idempotencyHash);
    if (keyed.length === 0) return;
    const application = { $in: applicationsOf(keyed) };
    const keys = keyed.map(({ idempotencyHash }) => new Binary(idempotencyHash as Buffer));
    const seen = new Set<string>();
    const older: ObjectId[] = [];
    const sameKeys = refused.find({ application, once: { $in: keys } }).sort(newestFirst);
    for await (const { _id, once } of sameKeys.project<Pick<RefusedDocument, '_id' | 'once'>>({ once: 1 })) {
      const key = (once as Binary).toString('hex');
      if (seen.has(key)) older.push(_id);
      seen.add(key);
    }
    if (older.length > 0) await refused.deleteMany({ application, _id: { $in: older } });
  }

  return {
    /** An upload that is kept already is not kept twice. */
    async keep(records: RefusedRecord[]): Promise<void> {
      try {
        await writer.write((now) => insert(records, now()));
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
      await removeRepeated(records);
    },

    /** Newest first. Throws PageTooLarge. */
    async page(
      application: string,
      selection: RefusedSelection,
      { start, limit, after, onRead }: RefusedPage,
    ): Promise<RefusedRecord[]> {
      const beyond = after === undefined ? {} : { _id: { $lt: new ObjectId(after) } };
      const filter = { $and: [matching(application, selection), beyond] };
      const found: RefusedRecord[] = [];
      let bytes = 0;
      for await (const document of refused.find(filter).sort(newestFirst).skip(start).limit(limit)) {
        bytes += document.size;
        onRead(document.size);
        const isLast = found.length === limit - 1;
        if (bytes > pageBytes && found.length > 0 && !isLast) throw new PageTooLarge(found.length);
        found.push(toRefused(document));
      }
      return found;
    },

    /** Oldest first. */
    async *all(application: string, selection: RefusedSelection): AsyncGenerator<RefusedRecord> {
      const found = refused.find(matching(application, selection)).sort({ _id: 1 });
      for await (const document of found.batchSize(200)) yield toRefused(document);
    },

    /** Newest first, at most so many and so many bytes; the last may exceed them. */
    async *newest(
      application: string,
      selection: RefusedSelection,
      { limit, bytes }: { limit: number; bytes: number },
    ): AsyncGenerator<RefusedRecord> {
      let read = 0;
      for await (const document of refused
        .find(matching(application, selection))
        .sort(newestFirst)
        .limit(limit)) {
        yield toRefused(document);
        read += document.size;
        if (read > bytes) return;
      }
    },

    /** Exact. */
    count: (application: string, selection: RefusedSelection): Promise<number> =>
      refused.countDocuments(matching(application, selection)),

    async kept(application: string, selection: RefusedSelection): Promise<KeptReason[]> {
      const found = refused.aggregate<
        Omit<KeptReason, keyof Reason | 'newest'> & { _id: Reason; newest: ObjectId }
      >([
        { $match: matching(application, selection) },
        {
          $group: {
            _id: { path: '$path', keyword: '$keyword', property: '$property', reason: '$reason' },
            kept: { $sum: 1 },
            newest: { $max: '$_id' },
            message: { $first: { $ifNull: [{ $first: '$details.message' }, '$message'] } },
            firstAt: { $min: '$at' },
            lastAt: { $max: '$at' },
          },
        },
      ]);
      return (await found.toArray()).map(({ _id, newest, ...rest }) => ({
        ..._id,
        ...rest,
        newest: newest.toHexString(),
      }));
    },

    async byIds(id: string, ids: string[]): Promise<RefusedRecord[]> {
      const application = new ObjectId(id);
      const found = refused.find({ application, _id: { $in: ids.map((each) => new ObjectId(each)) } });
      return (await found.toArray()).map(toRefused);
    },

    /** Returns how many there were. */
    async remove(application: string, selection: RefusedSelection): Promise<number> {
      const filter = matching(application, selection);
      for (let removed = 0; ; ) {
        const found = refused.find(filter).project<{ _id: ObjectId }>({ _id: 1 }).limit(batch);
        const ids = (await found.toArray()).map(({ _id }) => _id);
        if (ids.length === 0) return removed;
        const those = { application: new ObjectId(application), _id: { $in: ids } };
        removed += (await refused.deleteMany(those)).deletedCount;
      }
    },

    /** Removes uploads older than the limit of days, then the oldest until the rest is within the limits. */
    async trim(id: string, { limit, days }: { limit: number; days: number }): Promise<void> {
      const application = new ObjectId(id);
      await refused.deleteMany({ application, _id: { $lt: idAt(Date.now() - days * 86_400_000) } });
      // From the newest on: what others trim meanwhile changes nothing.
      const newestFirst = refused.find({ application }).sort({ _id: -1 });
      let [count, bytes] = [0, 0];
      const sizes = newestFirst.project<Pick<RefusedDocument, '_id' | 'size'>>({ size: 1 });
      for await (const { _id, size } of sizes) {
        count += 1;
        bytes += size;
        if (count > limit || bytes > keptBytes)
          return void (await refused.deleteMany({ application, _id: { $lte: _id } }));
      }
    },

    /** Applications that have some, with the newest of each. */
    async newestOfAll(): Promise<{ application: string; newest: string }[]> {
      const found = refused.aggregate<{ _id: ObjectId; newest: ObjectId }>([
        { $sort: { application: -1, _id: -1 } },
        { $group: { _id: '$application', newest: { $first: '$_id' } } },
      ]);
      return (await found.toArray()).map(({ _id, newest }) => ({
        application: _id.toHexString(),
        newest: newest.toHexString(),
      }));
    },
  };
}
