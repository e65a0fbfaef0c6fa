import { firstBatch, lastInt32 } from '@sluice/bson/documents.ts';
import { hasPayload, idOf } from '@sluice/bson/entry.ts';
import { freeBuffer } from '@sluice/shared/free-buffer.ts';
import { type ClientSession, type Db, type Document, ObjectId } from 'mongodb';
import type { ApplicationDocument } from '../applications/application-document.ts';
import { deletionGuard } from './deletion-guard.ts';
import type { EntryDocument } from './entry-document.ts';
import { allOf, type Condition, isPlain } from './entry-filter.ts';
import { type EntryId, fromKey, highest, idOfKey } from './entry-id.ts';
import { type Period, range } from './entry-range.ts';
import { type EntryRange, splitEntries } from './pieces.ts';

export interface RawPage {
  /** The BSON of the documents that match, oldest first. */
  documents: Buffer[];
  /** Of the last entry that was looked at. */
  last: EntryId | undefined;
  /** Entries that were looked at, and their bytes as BSON. */
  read: { entries: number; bytes: number };
  /** Gives back the memory of the documents. */
  free(): void;
}

export interface RawSelection extends Period {
  after?: EntryId | undefined;
  until: EntryId;
  filter?: Condition[] | undefined;
  /** The members that payloads have; absent: all. */
  members?: string[] | undefined;
}

const oldestFirst = { _id: 1 };
const newestFirst = { _id: -1 };

/**
 * Leaves the keys alone of entries that do not match: so a page looks at so many entries, however few match. `size` comes last, and
 * all others in the order of documents.
 */
const matching = (conditions: Condition[]): Document => ({
  payload: { $cond: [allOf(conditions), '$payload', '$$REMOVE'] },
  version: '$version',
  receivedAt: '$receivedAt',
  announced: '$announced',
  by: '$by',
  size: { $bsonSize: '$$ROOT' },
});

/** Undefined where MongoDB would misread a key. */
const onlyMembers = (keys?: string[]): Document | undefined =>
  keys && isPlain(keys)
    ? Object.fromEntries([...keys.map((key) => `payload.${key}`), 'announced', 'by'].map((path) => [path, 1]))
    : undefined;

/** The driver sends the signature of a reply with its next command. A copy lets the memory of the reply go. */
function keepOwnSignature({ clusterTime }: ClientSession): void {
  const hash = clusterTime?.signature?.hash;
  if (hash) hash.buffer = Uint8Array.from(hash.buffer);
}

/** Entries as they are stored, without making objects of them. */
export function rawEntries(db: Db) {
  const guard = deletionGuard(db);
  const entries = db.collection<EntryDocument>('entries');
  const applications = db.collection<ApplicationDocument>('applications');

  async function find(command: Document): Promise<Buffer[]> {
    const session = db.client.startSession();
    try {
      const reply = await db.command(
        { find: entries.collectionName, singleBatch: true, readConcern: { level: 'majority' }, ...command },
        { raw: true, session } as object,
      );
      keepOwnSignature(session);
      return firstBatch((reply as { cursor: Uint8Array }).cursor);
    } finally {
      await session.endSession();
    }
  }

  return {
    /** Looks at the next `limit` entries after a place; at none when there is none up to `until`. May be fewer: an answer is at most 16 MB. */
    async page(
      application: string,
      { limit, filter, members, ...where }: RawSelection & { limit: number },
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
        free: () => found[0] && freeBuffer(found[0]),
      };
    },

    /** `createdAt` of the oldest entry after a place; undefined when there is none. */
    async oldestAfter(application: string, after: EntryId | undefined): Promise<Date | undefined> {
      const oldest = { sort: { _id: 1 }, projection: { _id: 1 } } as const;
      const found = await entries.findOne(range(application, { after }), oldest);
      return found ? fromKey(found._id).createdAt : undefined;
    },

    /** Of the newest entry in MongoDB. */
    async newestId(application: string): Promise<EntryId | undefined> {
      const found = await entries.findOne(range(application, {}), {
        sort: { _id: -1 },
        projection: { _id: 1 },
      });
      return found ? idOfKey(found._id) : undefined;
    },

    /** The newest entries, or those before one. May be fewer: an answer is at most 16 MB. */
    newest: (
      application: string,
      { before, limit }: { before?: EntryId | undefined; limit: number },
    ): Promise<Buffer[]> => {
      const filter = range(application, before === undefined ? {} : { before });
      return find({ filter, sort: newestFirst, limit, batchSize: limit });
    },

    /** Ranges of all entries up to `until`, to be read by several workers. `total`: how many there are. */
    split: (application: string, where: Period & { until: EntryId }, total: number): Promise<EntryRange[]> =>
      splitEntries(db, application, where, total),

    /**
     * What an export that begins now has: all that was acknowledged before, see docs/decisions/0022-forward-sync.md. `until`: its newest
     * entry, in MongoDB or in an archive alone; absent: there is none. `announced`: see `EntryDocument`. `deleted`: how often entries were.
     */
    async cut(
      application: string,
      given?: ClientSession,
    ): Promise<{ until?: EntryId; announced: number; deleted: number }> {
      const take = async (session: ClientSession) => {
        const { version, count } = await guard.touch(application, session);
        // In the same session, so it sees all that a majority had before that write.
        const newest = { sort: { _id: -1 }, projection: { _id: 1 }, session } as const;
        const found = await entries.findOne(range(application, {}), newest);
        const stored = found ? idOfKey(found._id) : undefined;
        // After the newest: entries that move meanwhile are in it.
        const archived = await applications.findOne(
          { _id: new ObjectId(application) },
          { projection: { archivedUntil: 1 }, session },
        );
        const until = highest(stored, archived?.archivedUntil);
        return { announced: version, deleted: count, ...(until && { until }) };
      };
      return given ? take(given) : db.client.withSession(take);
    },
  };
}

export type RawEntries = ReturnType<typeof rawEntries>;
