import { type Db, ObjectId } from 'mongodb';
import { changing } from '../changes.ts';
import { isDuplicate } from '../faults.ts';
import { hasMatched } from '../lease.ts';
import { demoUsername } from './credentials.ts';
import { identities } from './identities.ts';
import { managedUsers } from './managed-users.ts';
import { secondFactors } from './second-factors.ts';
import {
  keyOf,
  newUser,
  type Session,
  toRecord,
  type UserDocument,
  type UserRecord,
} from './user-document.ts';

export type { Session, UserRecord } from './user-document.ts';

/** Of one user at the same time. */
const mostSessions = 50;
const seenAgainMs = 5 * 60_000;

const orUndefined = (found: UserDocument | null) => (found ? toRecord(found) : undefined);

export type UserStore = ReturnType<typeof userStore>;

/** Users, unique by their name without regard to case. */
export function userStore(db: Db) {
  const users = db.collection<UserDocument>('users');
  return {
    ...managedUsers(users),
    ...identities(users),
    ...secondFactors(users),

    /** A browser signs in. Ends expired sessions, and the oldest ones over the limit. */
    async beginSession(userId: string, session: Session): Promise<void> {
      const open = {
        $filter: { input: { $ifNull: ['$sessions', []] }, cond: { $gt: ['$$this.expiresAt', '$$NOW'] } },
      };
      const sessions = { $slice: [{ $concatArrays: [open, [session]] }, -mostSessions] };
      const isFull = { $gte: [{ $size: open }, mostSessions] };
      // As `changing` does, where a session ends.
      const changedAt = { $cond: [isFull, '$$CLUSTER_TIME', '$changedAt'] };
      await users.updateOne({ _id: new ObjectId(userId) }, [{ $set: { sessions, changedAt } }]);
    },

    /** False when the user has no such session. */
    endSession: (userId: string, id: string): Promise<boolean> =>
      hasMatched(
        users.updateOne(
          { _id: new ObjectId(userId), 'sessions.id': id },
          changing({ $pull: { sessions: { id } } }),
        ),
      ),

    /** Ends all sessions but this one. Returns how many were open. */
    async endOtherSessions(userId: string, kept: string | undefined): Promise<number> {
      const before = await users.findOneAndUpdate(
        { _id: new ObjectId(userId) },
        changing({ $pull: { sessions: { id: { $ne: kept ?? '' } } } }),
        { returnDocument: 'before', projection: { sessions: 1 } },
      );
      const isOpen = ({ id, expiresAt }: Session) => id !== kept && expiresAt.getTime() > Date.now();
      return before?.sessions?.filter(isOpen).length ?? 0;
    },

    /** Notes the latest request of a session, unless one was noted within five minutes. */
    async noteSeen(userId: string, { id, lastSeen }: Session, networkOf: () => string): Promise<void> {
      const now = Date.now();
      if (lastSeen && now - lastSeen.getTime() < seenAgainMs) return;
      const unseen = { id, lastSeen: { $not: { $gt: new Date(now - seenAgainMs) } } };
      await users.updateOne(
        { _id: new ObjectId(userId), sessions: { $elemMatch: unseen } },
        { $set: { 'sessions.$.lastSeen': new Date(now), 'sessions.$.network': networkOf() } },
      );
    },

    /** Returns undefined when the username or the identity is taken; with `first`, also when there is a first user. */
    async create(
      user: Pick<UserRecord, 'username' | 'locale' | 'passwordHash' | 'identity'> &
        Pick<UserDocument, 'first'>,
    ): Promise<UserRecord | undefined> {
      const document = newUser(user);
      try {
        await users.insertOne(document);
        return toRecord(document);
      } catch (error) {
        if (isDuplicate(error)) return undefined;
        throw error;
      }
    },

    async byName(username: string): Promise<UserRecord | undefined> {
      return orUndefined(await users.findOne({ usernameKey: keyOf(username) }));
    },

    async byId(id: string): Promise<UserRecord | undefined> {
      return orUndefined(await users.findOne({ _id: new ObjectId(id) }));
    },

    /** Whether nobody uses this installation. The demo may come first, so its user does not count. */
    async isEmpty(): Promise<boolean> {
      const others = { usernameKey: { $ne: demoUsername } };
      return (await users.findOne(others, { projection: { _id: 1 } })) === null;
    },

    /** All users, or the users with these ids, by name and with public fields only. */
    async list(ids?: string[]): Promise<Omit<UserRecord, 'passwordHash'>[]> {
      const shown = {
        projection: { passwordHash: 0, identity: 0, code: 0, sessions: 0, secondFactor: 0 },
      };
      const among = ids && { _id: { $in: ids.map((id) => new ObjectId(id)) } };
      return (
        await users
          .find(among ?? {}, shown)
          .sort({ usernameKey: 1 })
          .toArray()
      ).map(toRecord);
    },

    async update(id: string, change: { locale?: string }): Promise<UserRecord | undefined> {
      return orUndefined(
        await users.findOneAndUpdate(
          { _id: new ObjectId(id) },
          { $set: { ...change, lastModifiedAt: new Date() } },
          { returnDocument: 'after' },
        ),
      );
    },

    /** Replaces a hash by another of the same password; false if it has changed meanwhile. Tokens stay valid. */
    async renewHash(id: string, from: string, to: string): Promise<boolean> {
      const { modifiedCount } = await users.updateOne(
        { _id: new ObjectId(id), passwordHash: from },
        { $set: { passwordHash: to } },
      );
      return modifiedCount === 1;
    },

    /** False when the password was changed by another request meanwhile; nothing is done then. */
    async changePassword(user: UserRecord, passwordHash: string): Promise<boolean> {
      const { modifiedCount } = await users.updateOne(
        { _id: new ObjectId(user.id), tokenVersion: user.tokenVersion },
        changing({ $set: { passwordHash, lastModifiedAt: new Date() }, $inc: { tokenVersion: 1 } }),
      );
      return modifiedCount === 1;
    },
  };
}
