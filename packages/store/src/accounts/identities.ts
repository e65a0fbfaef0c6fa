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
   * Gives the user of an open session an identity, in place of the one before. `expired`: the session has ended. `taken`: the
   * identity is another user's.
   */
  async link(
    session: { user: string; id: string; version: number },
    identity: Identity,
  ): Promise<UserRecord | 'expired' | 'taken'> {
    try {
      const linked = await users.findOneAndUpdate(
        { _id: new ObjectId(session.user), tokenVersion: session.version, 'sessions.id': session.id },
        { $set: { identity, lastModifiedAt: new Date() } },
        { returnDocument: 'after' },
      );
      return linked ? toRecord(linked) : 'expired';
    } catch (error) {
      if (isDuplicate(error)) return 'taken';
      throw error;
    }
  },
});
