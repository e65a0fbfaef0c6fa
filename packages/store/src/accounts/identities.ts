import { type Collection, ObjectId } from 'mongodb';
import { isDuplicate } from '../faults.ts';
import { type Identity, toRecord, type UserDocument, type UserRecord } from './user-document.ts';

/** How users are found who sign in through a provider: an index lets one user have an identity. */
export const identities = (users: Collection<UserDocument>) => ({
  async byIdentity({ issuer, subject }: Identity): Promise<UserRecord | undefined> {
    const found = await users.findOne({ 'identity.issuer': issuer, 'identity.subject': subject });
    return found ? toRecord(found) : undefined;
  },

  /**
   * Gives the user of an open session an identity. `expired`: the session has ended. `taken`: the identity is another user's,
   * or the user has one.
   */
  async link(
    session: { user: string; id: string; version: number },
    identity: Identity,
  ): Promise<UserRecord | 'expired' | 'taken'> {
    const open = {
      _id: new ObjectId(session.user),
      tokenVersion: session.version,
      'sessions.id': session.id,
    };
    try {
      const linked = await users.findOneAndUpdate(
        { ...open, identity: { $exists: false } },
        { $set: { identity, lastModifiedAt: new Date() } },
        { returnDocument: 'after' },
      );
      if (linked) return toRecord(linked);
    } catch (error) {
      if (isDuplicate(error)) return 'taken';
      throw error;
    }
    return (await users.countDocuments(open)) === 1 ? 'taken' : 'expired';
  },
});
