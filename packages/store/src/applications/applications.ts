import { BSON, type Db, ObjectId } from 'mongodb';
import { isDuplicate } from '../faults.ts';
import { idsOf } from '../ids.ts';
import {
  type Access,
  type ApplicationDocument,
  type ApplicationRecord,
  alive,
  type StoredAccess,
  toAccess,
  toRecord,
} from './application-document.ts';
import { byExistence, deletedApplications, type Existence, kept } from './deleted-applications.ts';
import { dismissals } from './dismissals.ts';
import { managedApplications } from './managed-applications.ts';
import { memberStore, type Whose, whoseIs } from './members.ts';

export type { Access, ApplicationRecord, RefusedSettings } from './application-document.ts';

/** `bytes` as BSON. */
export type ApplicationSize = { id: string; bytes: number };

const orUndefined = (found: ApplicationDocument | null) => (found ? toRecord(found) : undefined);

/** What decides about uploads. */
interface Existing {
  /** The same text as long as nothing changes, so that it need not be read again. */
  state: string;
  /** `owner`: id of the user. `version`: of the schema in force. */
  read(): Access & { owner: string; version: number };
}

/** In BSON: after the length, the type and the name of the first field. */
const placeOfId = [9, 21] as const;

const toExisting = (raw: Buffer): Existing => ({
  state: raw.toString('latin1'),
  read() {
    const { owner, version = 1, ...access } = BSON.deserialize(raw) as ApplicationDocument;
    return { ...toAccess(access), owner: owner.id.toHexString(), version };
  },
});

export type ApplicationStore = ReturnType<typeof applicationStore>;

export type ApplicationChange = Partial<
  Pick<ApplicationRecord, 'name' | 'type' | 'connectors' | 'retentionDays'>
> &
  StoredAccess;

/** An application of which old entries are deleted. */
export type Expiring = Pick<ApplicationRecord, 'id' | 'domain' | 'owner'> & { retentionDays: number };

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
    ...dismissals(db),
    ...managedApplications(db),
    ...deletedApplications(db),
    ...memberStore(applications),

    /** Returns undefined when the domain is taken, or was ever. */
    async create(
      fields: Pick<ApplicationRecord, 'domain' | 'owner' | 'name' | 'type' | 'connectors' | 'rawSchema'>,
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

    /** Also those that were deleted and can be restored. */
    async keptOfOwner(ownerId: string): Promise<string[]> {
      return idsOf(applications.find({ 'owner.id': new ObjectId(ownerId), ...kept }));
    },

    /** Those of a user, or of which the user is a member; of them those with these domains. Newest first, with their bytes as BSON. */
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

    /** In the order of the ids. Those that were deleted, restored or purged meanwhile are left out. */
    async byIds(ids: string[], existence: Existence = 'alive'): Promise<ApplicationRecord[]> {
      const _id = { $in: ids.map((id) => new ObjectId(id)) };
      const found = applications.find({ _id, ...byExistence[existence] });
      const records = new Map((await found.map(toRecord).toArray()).map((record) => [record.id, record]));
      return ids.flatMap((id) => records.get(id) ?? []);
    },

    async update(
      id: string,
      { refused = {}, ...change }: ApplicationChange,
    ): Promise<ApplicationRecord | undefined> {
      const settings = Object.entries(refused).map(([name, value]) => [`refused.${name}`, value]);
      return orUndefined(
        await applications.findOneAndUpdate(
          { _id: new ObjectId(id), ...alive },
          { $set: { ...change, ...Object.fromEntries(settings), lastModifiedAt: new Date() } },
          { returnDocument: 'after' },
        ),
      );
    },

    /** The applications that still exist, to refresh the schema caches. */
    async existing(ids: string[]): Promise<Map<string, Existing>> {
      const found = applications
        .find(
          { _id: { $in: ids.map((id) => new ObjectId(id)) }, ...alive },
          { raw: true, batchSize: ids.length },
        )
        .project<Buffer>({ 'owner.id': 1, version: 1, keyRequired: 1, allowedOrigins: 1, refused: 1 });
      return new Map(
        (await found.toArray()).map((raw) => [raw.toString('hex', ...placeOfId), toExisting(raw)]),
      );
    },

    /** Those of which old entries are deleted. */
    async expiring(): Promise<Expiring[]> {
      const found = applications.find({ retentionDays: { $gt: 0 }, ...alive });
      const records = await found.map(toRecord).toArray();
      return records.map(({ id, domain, owner, retentionDays }) => ({
        id,
        domain,
        owner,
        retentionDays: retentionDays as number,
      }));
    },

    /** Those whose entries are kept, in a fixed order, beyond `after`. */
    async living(after: string | undefined, limit: number): Promise<string[]> {
      const found = applications.find({ ...(after && { _id: { $gt: new ObjectId(after) } }), ...kept });
      return idsOf(found.sort({ _id: 1 }), limit);
    },
  };
}
