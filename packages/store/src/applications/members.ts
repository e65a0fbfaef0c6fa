import { type Collection, ObjectId } from 'mongodb';
import { changing } from '../changes.ts';
import { hasMatched } from '../lease.ts';
import { type ApplicationDocument, alive, type MemberRole } from './application-document.ts';

/** Applications that the user owns, or that are shared with the user. */
export type Whose = 'own' | 'shared';

export const whoseIs = (userId: string, whose: Whose) => ({
  [whose === 'own' ? 'owner.id' : 'members.id']: new ObjectId(userId),
});

/** The users with whom owners share applications. */
export function memberStore(applications: Collection<ApplicationDocument>) {
  return {
    /** `full`: there are `most` members. */
    async setMember(
      application: string,
      { id, username }: { id: string; username: string },
      role: MemberRole,
      most: number,
    ): Promise<'set' | 'full'> {
      const of = { _id: new ObjectId(application), ...alive };
      const user = new ObjectId(id);
      const having = { ...of, 'members.id': user };
      if (await hasMatched(applications.updateOne(having, changing({ $set: { 'members.$.role': role } }))))
        return 'set';
      const adding = { ...of, 'members.id': { $ne: user }, [`members.${most - 1}`]: { $exists: false } };
      const member = { id: user, username, role, since: new Date() };
      if (await hasMatched(applications.updateOne(adding, changing({ $push: { members: member } }))))
        return 'set';
      // Another request may have added the same user meanwhile.
      return (await applications.countDocuments(having)) > 0 ? 'set' : 'full';
    },

    /** False when the user was no member. */
    removeMember: (application: string, userId: string): Promise<boolean> =>
      hasMatched(
        applications.updateOne(
          { _id: new ObjectId(application), 'members.id': new ObjectId(userId) },
          changing({ $pull: { members: { id: new ObjectId(userId) } } }),
        ),
      ),

    async removeFromAll(userId: string): Promise<void> {
      const id = new ObjectId(userId);
      await applications.updateMany({ 'members.id': id }, changing({ $pull: { members: { id } } }));
    },

    /** The ids of a user and of everybody with whom the user shares an application. */
    async sharingWith(userId: string): Promise<string[]> {
      const found = applications
        .find({ $or: [whoseIs(userId, 'own'), whoseIs(userId, 'shared')], ...alive })
        .project<Pick<ApplicationDocument, 'owner' | 'members'>>({ _id: 0, 'owner.id': 1, 'members.id': 1 });
      const ids = new Set([userId]);
      for await (const { owner, members = [] } of found)
        for (const { id } of [owner, ...members]) ids.add(id.toHexString());
      return [...ids];
    },
  };
}
