import { type ClientSession, type Db, ObjectId } from 'mongodb';
import { hasArchive } from '../archives/archives.ts';
import { changing } from '../changes.ts';
import type { EntryId } from '../entries/entry-id.ts';
import { isDuplicate } from '../faults.ts';
import { idsOf } from '../ids.ts';
import { inTransaction } from '../in-transaction.ts';
import { hasMatched } from '../lease.ts';
import type { Reason } from '../refused/refused-records.ts';
import {
  type ApplicationDocument,
  type ApplicationRecord,
  alive,
  type StoredAccess,
  toRecord,
  type Unique,
} from './application-document.ts';
import { byExistence, deletedApplications, type Existence, kept } from './deleted-applications.ts';
import { managedApplications } from './managed-applications.ts';
import { memberStore, type Whose, whoseIs } from './members.ts';

export type { Access, ApplicationRecord, RefusedSettings, Unique } from './application-document.ts';

/** `bytes` as BSON. */
export type ApplicationSize = { id: string; bytes: number };

/** Dismissed groups that are kept, as many as an answer has. The oldest go first. */
const mostDismissed = 100;

const orUndefined = (found: ApplicationDocument | null) => (found ? toRecord(found) : undefined);

export type ApplicationStore = ReturnType<typeof applicationStore>;

export type ApplicationChange = Partial<
  Pick<ApplicationRecord, 'name' | 'type' | 'connectors' | 'retentionDays' | 'retentionArchive' | 'unique'>
> &
  StoredAccess;

/** An application whose old entries are deleted. */
export type Expiring = Pick<ApplicationRecord, 'id' | 'domain' | 'owner' | 'retentionArchive'> & {
  retentionDays: number;
};

interface Range {
  start?: number;
  limit?: number;
  whose?: Whose;
  domains?: string[] | undefined;
}

/** Applications and the tombstones of deleted ones. */
export function applicationStore(db: Db) {
  // All text here was written by this store. To check it again takes longer than to read it.
  const applications = db.collection<ApplicationDocument>('applications', { enableUtf8Validation: false });
  return {
    ...managedApplications(db),
    ...deletedApplications(db),
    ...memberStore(applications),

    /** Dismisses a group of refused uploads; without `at`, it is open again. */
    async dismiss(id: string, { path, keyword, property }: Reason, at?: Date): Promise<void> {
      const _id = new ObjectId(id);
      const named = property ?? { $exists: false };
      await applications.updateOne({ _id }, { $pull: { dismissed: { path, keyword, property: named } } });
      if (!at) return;
      const $each = [{ path, keyword, ...(property && { property }), at }];
      await applications.updateOne({ _id }, { $push: { dismissed: { $each, $slice: -mostDismissed } } });
    },

    /** Returns undefined when the domain is taken, or was ever. */
    async create(
      fields: Pick<ApplicationRecord, 'domain' | 'owner' | 'name' | 'type' | 'connectors' | 'rawSchema'> & {
        unique?: Unique | null | undefined;
      },
    ): Promise<ApplicationRecord | undefined> {
      const now = new Date();
      const owner = { id: new ObjectId(fields.owner.id), username: fields.owner.username };
      const document = { ...fields, _id: new ObjectId(), owner, createdAt: now, lastModifiedAt: now };
      try {
        await applications.insertOne(document);
        return toRecord(document);
      } catch (error) {
        if (isDuplicate(error)) return undefined;
        throw error;
      }
    },

    async byDomain(domain: string): Promise<ApplicationRecord | undefined> {
      return orUndefined(await applications.findOne({ domain, ...alive }));
    },

    async byId(id: string): Promise<ApplicationRecord | undefined> {
      return orUndefined(await applications.findOne({ _id: new ObjectId(id), ...alive }));
    },

    /** How many an owner has, counted up to `most`. */
    async countOfOwner(ownerId: string, most: number): Promise<number> {
      return applications.countDocuments({ 'owner.id': new ObjectId(ownerId), ...alive }, { limit: most });
    },

    async idsOfOwner(ownerId: string): Promise<string[]> {
      return idsOf(applications.find({ 'owner.id': new ObjectId(ownerId), ...alive }));
    },

    /** Includes deleted applications that can be restored. */
    async keptOfOwner(ownerId: string): Promise<string[]> {
      return idsOf(applications.find({ 'owner.id': new ObjectId(ownerId), ...kept }));
    },

    /** A user's applications, owned or shared, filtered by domain. Newest first, with their bytes as BSON. */
    async sizesOf(
      userId: string,
      { start = 0, limit = 0, whose = 'own', domains }: Range,
      existence: Existence = 'alive',
    ): Promise<ApplicationSize[]> {
      const among = domains && { domain: { $in: domains } };
      const found = applications.find({ ...whoseIs(userId, whose), ...among, ...byExistence[existence] });
      const sized = found.project<{ _id: ObjectId; bytes: number }>({ bytes: { $bsonSize: '$$ROOT' } });
      const documents = await sized.sort({ createdAt: -1, _id: -1 }).skip(start).limit(limit).toArray();
      return documents.map(({ _id, bytes }) => ({ id: _id.toHexString(), bytes }));
    },

    /** In the order of the ids, without applications that were deleted, restored or purged meanwhile. */
    async byIds(ids: string[], existence: Existence = 'alive'): Promise<ApplicationRecord[]> {
      const _id = { $in: ids.map((id) => new ObjectId(id)) };
      const found = applications.find({ _id, ...byExistence[existence] });
      const records = new Map((await found.map(toRecord).toArray()).map((record) => [record.id, record]));
      return ids.flatMap((id) => records.get(id) ?? []);
    },

    /** Undefined where it is gone, and where `retentionArchive` is, or cannot change any more as entries are in another one alone. */
    update(
      id: string,
      { refused = {}, ...change }: ApplicationChange,
    ): Promise<ApplicationRecord | undefined> {
      const { retentionArchive } = change;
      const settings = Object.entries(refused).map(([name, value]) => [`refused.${name}`, value]);
      const mayChange = {
        $or: [{ archivedUntil: { $exists: false } }, { retentionArchive: retentionArchive as string | null }],
      };
      const make = async (session?: ClientSession) =>
        orUndefined(
          await applications.findOneAndUpdate(
            { _id: new ObjectId(id), ...alive, ...(retentionArchive !== undefined && mayChange) },
            changing({ $set: { ...change, ...Object.fromEntries(settings), lastModifiedAt: new Date() } }),
            { returnDocument: 'after', session },
          ),
        );
      if (!retentionArchive) return make();
      // The deletion of an archive writes the application too.
      return inTransaction(db, async (session) => {
        const updated = await make(session);
        if (updated && (await hasArchive(db, id, retentionArchive, session))) return updated;
        await session.abortTransaction();
        return undefined;
      });
    },

    /** The archive that alone has entries, and the highest of these entries. Undefined: MongoDB has all. */
    async archived(id: string): Promise<{ archive: string; until: EntryId } | undefined> {
      const projection = { retentionArchive: 1, archivedUntil: 1 } as const;
      const found = await applications.findOne({ _id: new ObjectId(id) }, { projection });
      const { retentionArchive: archive, archivedUntil: until } = found ?? {};
      return archive && until ? { archive, until } : undefined;
    },

    /** Whether old entries are still to go so, in the transaction that takes them away. `archivedUntil`: see `ApplicationRecord`. */
    async mayExpire(
      session: ClientSession,
      { id, retentionDays, retentionArchive }: Pick<Expiring, 'id' | 'retentionDays' | 'retentionArchive'>,
      archivedUntil: EntryId | undefined,
    ): Promise<boolean> {
      const asKnown = { _id: new ObjectId(id), retentionDays, retentionArchive, ...alive };
      if (!archivedUntil) return (await applications.countDocuments(asKnown, { session })) > 0;
      return hasMatched(applications.updateOne(asKnown, { $max: { archivedUntil } }, { session }));
    },

    async expiring(): Promise<Expiring[]> {
      const found = applications.find({ retentionDays: { $gt: 0 }, ...alive });
      const records = await found.map(toRecord).toArray();
      return records.map(({ id, domain, owner, retentionDays, retentionArchive }) => ({
        id,
        domain,
        owner,
        retentionArchive,
        retentionDays: retentionDays as number,
      }));
    },

    /** The applications whose entries are kept, in a fixed order, after `after`. */
    async living(after: string | undefined, limit: number): Promise<string[]> {
      const found = applications.find({ ...(after && { _id: { $gt: new ObjectId(after) } }), ...kept });
      return idsOf(found.sort({ _id: 1 }), limit);
    },
  };
}
