import { Binary, type Db, ObjectId, type Timestamp } from 'mongodb';
import { changing, type Revision, toRevision, valid } from '../changes.ts';
import { hasMatched } from '../lease.ts';

/** An ingest key; the store knows only this and a hash. */
export interface KeyRecord {
  id: string;
  name: string;
  /** How the key begins. */
  prefix: string;
  createdAt: Date;
  /** Username of who created or last rotated it. */
  createdBy: string;
  /** From then on it is a wrong key. */
  expiresAt?: Date | undefined;
  uploadRate?: UploadRate | undefined;
  /** Exact to a minute. */
  lastUsedAt?: Date | undefined;
}

/** How many entries it may send in so many seconds. */
export interface UploadRate {
  entries: number;
  seconds: number;
}

/** `null` removes something. */
export interface KeyChange {
  name?: string | undefined;
  expiresAt?: Date | null | undefined;
  uploadRate?: UploadRate | null | undefined;
}

/** The stored part of a new key. */
export interface MadeKey {
  prefix: string;
  /** SHA-256 of the key: it is random, so nothing slower is needed. */
  hash: Buffer;
}

/** SHA-256 of a key, and the limits of the key. */
export interface KeyHash extends Pick<KeyRecord, 'id' | 'expiresAt' | 'uploadRate' | 'lastUsedAt'> {
  revision: Revision;
  hash: Buffer;
}

interface KeyDocument extends Omit<KeyRecord, 'id'> {
  _id: ObjectId;
  application: ObjectId;
  /** Absent if the key was revoked. */
  hash?: Binary;
  revokedAt?: Date;
  /** See `changing`. */
  changedAt?: Timestamp;
}

const toRecord = ({ _id, application: _, hash: __, changedAt: ___, ...rest }: KeyDocument): KeyRecord => ({
  id: _id.toHexString(),
  ...rest,
});

export type KeyStore = ReturnType<typeof keyStore>;

export function keyStore(db: Db) {
  const keys = db.collection<KeyDocument>('keys');
  const of = (application: string) => ({ application: new ObjectId(application), ...valid });
  const one = (application: string, id: string) => ({ _id: new ObjectId(id), ...of(application) });

  return {
    /** Returns undefined when the application has `limit` keys already. */
    async create(
      application: string,
      fields: Pick<KeyRecord, 'name' | 'expiresAt' | 'uploadRate'>,
      made: MadeKey,
      createdBy: string,
      limit: number,
    ): Promise<KeyRecord | undefined> {
      const document = {
        _id: new ObjectId(),
        application: new ObjectId(application),
        ...fields,
        prefix: made.prefix,
        hash: new Binary(made.hash),
        createdAt: new Date(),
        createdBy,
      };
      await keys.insertOne(document);
      // Counted afterwards, so that of several at once none slips through.
      const count = await keys.countDocuments(of(application));
      if (count <= limit) return toRecord(document);
      await keys.deleteOne({ _id: document._id });
      return undefined;
    },

    /** Newest first. */
    async list(application: string): Promise<KeyRecord[]> {
      const found = keys.find(of(application)).sort({ createdAt: -1, _id: -1 });
      return (await found.toArray()).map(toRecord);
    },

    /** Puts another key in place of this one; undefined when the application has no such key. */
    async rotate(
      application: string,
      id: string,
      made: MadeKey,
      createdBy: string,
    ): Promise<KeyRecord | undefined> {
      if (!ObjectId.isValid(id)) return undefined;
      const rotated = await keys.findOneAndUpdate(
        one(application, id),
        changing({
          $set: { prefix: made.prefix, hash: new Binary(made.hash), createdAt: new Date(), createdBy },
        }),
        { returnDocument: 'after' },
      );
      return rotated ? toRecord(rotated) : undefined;
    },

    /** Undefined when the application has no such key. */
    async update(application: string, id: string, change: KeyChange): Promise<KeyRecord | undefined> {
      if (!ObjectId.isValid(id)) return undefined;
      const { unset = [], set = [] } = Object.groupBy(Object.entries(change), ([, value]) =>
        value === null ? 'unset' : 'set',
      );
      const updated = await keys.findOneAndUpdate(
        one(application, id),
        changing<KeyDocument>({ $set: Object.fromEntries(set), $unset: Object.fromEntries(unset) }),
        { returnDocument: 'after' },
      );
      return updated ? toRecord(updated) : undefined;
    },

    /** False when the application has no such key. */
    async revoke(application: string, id: string): Promise<boolean> {
      if (!ObjectId.isValid(id)) return false;
      const update = changing<KeyDocument>({ $unset: { hash: '' }, $currentDate: { revokedAt: true } });
      return hasMatched(keys.updateOne(one(application, id), update));
    },

    /** Notes when keys were used. It is no change for the feed. */
    async noteUse(ids: string[], at: Date): Promise<void> {
      const _id = { $in: ids.map((id) => new ObjectId(id)) };
      await keys.updateMany({ _id }, { $max: { lastUsedAt: at } });
    },

    async hashes(application: string): Promise<KeyHash[]> {
      const found = keys.find(of(application)).project<KeyDocument & { hash: Binary }>({
        hash: 1,
        expiresAt: 1,
        uploadRate: 1,
        lastUsedAt: 1,
        changedAt: 1,
      });
      return (await found.toArray()).map(({ _id, hash, expiresAt, uploadRate, lastUsedAt, changedAt }) => ({
        id: _id.toHexString(),
        revision: toRevision(changedAt),
        hash: Buffer.from(hash.buffer),
        expiresAt,
        uploadRate,
        lastUsedAt,
      }));
    },
  };
}
