import { type Collection, ObjectId } from 'mongodb';
import { changing } from '../changes.ts';
import type { Session, UserDocument } from './user-document.ts';

/** Sessions of one user at the same time. */
const mostSessions = 50;

/** The sessions of browsers. They are in the document of the user, which each request with a token reads. */
export const userSessions = (users: Collection<UserDocument>) => ({
  /** Ends expired sessions, and the oldest ones over the limit. */
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

  async endSession(userId: string, id: string): Promise<void> {
    await users.updateOne({ _id: new ObjectId(userId) }, changing({ $pull: { sessions: { id } } }));
  },
});
