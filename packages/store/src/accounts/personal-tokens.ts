import { Binary, type Db, ObjectId, type Timestamp } from 'mongodb';
import { changing, type Revision, toRevision, valid } from '../changes.ts';
import { hasMatched } from '../lease.ts';

export type Scope = 'read' | 'write' | 'upload';

/** A token of a user for programs. The store knows its hash, not the token. */
export interface PersonalTokenRecord {
  id: string;
  name: string;
  scopes: Scope[];
  /** Domains; absent: all applications of the user. */
  applications?: string[];
  createdAt: Date;
  expiresAt?: Date;
  /** Exact to a minute. */
  lastUsedAt?: Date;
}

/** A user as their tokens see them. Tokens of an earlier version are no longer valid. */
interface TokenUser {
  id: string;
  tokenVersion: number;
}

interface TokenDocument extends Omit<PersonalTokenRecord, 'id'> {
  _id: ObjectId;
  user: ObjectId;
  version: number;
  hash: Binary;
  revokedAt?: Date;
  /** See `changing`. */
  changedAt?: Timestamp;
}

const toRecord = ({
  _id,
  user: _,
  version: __,
  hash: ___,
  changedAt: ____,
  ...rest
}: TokenDocument): PersonalTokenRecord => ({
  id: _id.toHexString(),
  ...rest,
});

/** The hash goes. Its index wants another one for each token. */
const revoking = changing([{ $set: { hash: '$_id', revokedAt: '$$NOW' } }]);

export const usedAgainMs = 60_000;

export type PersonalTokenStore = ReturnType<typeof personalTokenStore>;

export function personalTokenStore(db: Db) {
  const tokens = db.collection<TokenDocument>('tokens');
  const ofUser = ({ id, tokenVersion }: TokenUser) => ({
    user: new ObjectId(id),
    version: tokenVersion,
    ...valid,
  });

  return {
    /** `hash`: SHA-256 of the token. Undefined when the user has `limit` tokens already. */
    async create(
      user: TokenUser,
      fields: Pick<PersonalTokenRecord, 'name' | 'scopes' | 'applications' | 'expiresAt'>,
      hash: Buffer,
      limit: number,
    ): Promise<PersonalTokenRecord | undefined> {
      const of = { user: new ObjectId(user.id), version: user.tokenVersion };
      const document = {
        _id: new ObjectId(),
        ...of,
        ...fields,
        hash: new Binary(hash),
        createdAt: new Date(),
      };
      await tokens.deleteMany({ user: of.user, version: { $ne: of.version } });
      await tokens.insertOne(document);
      // Counted afterwards, so that of several at once none slips through.
      if ((await tokens.countDocuments(ofUser(user))) <= limit) return toRecord(document);
      await tokens.deleteOne({ _id: document._id });
      return undefined;
    },

    /** Newest first. */
    async list(user: TokenUser): Promise<PersonalTokenRecord[]> {
      return (await tokens.find(ofUser(user)).sort({ createdAt: -1, _id: -1 }).toArray()).map(toRecord);
    },

    /** False when the user has no such token. */
    async revoke(userId: string, id: string): Promise<boolean> {
      if (!ObjectId.isValid(id)) return false;
      return hasMatched(
        tokens.updateOne({ _id: new ObjectId(id), user: new ObjectId(userId), ...valid }, revoking),
      );
    },

    async removeAll(userId: string): Promise<void> {
      await tokens.updateMany({ user: new ObjectId(userId), ...valid }, revoking);
    },

    /** Undefined when there is no such token, or it has expired. `version`: see `TokenUser`. */
    async byHash(
      hash: Buffer,
    ): Promise<
      { token: PersonalTokenRecord; revision: Revision; userId: string; version: number } | undefined
    > {
      const found = await tokens.findOne({ hash: new Binary(hash) });
      const now = Date.now();
      if (!found || (found.expiresAt && found.expiresAt.getTime() <= now)) return undefined;
      if (!found.lastUsedAt || now - found.lastUsedAt.getTime() > usedAgainMs)
        await tokens.updateOne({ _id: found._id }, { $set: { lastUsedAt: new Date(now) } });
      return {
        token: toRecord(found),
        revision: toRevision(found.changedAt),
        userId: found.user.toHexString(),
        version: found.version,
      };
    },
  };
}
