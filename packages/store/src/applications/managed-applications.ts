import { type Db, ObjectId } from 'mongodb';
import { changing } from '../changes.ts';
import { hasMatched } from '../lease.ts';
import { type ApplicationDocument, alive } from './application-document.ts';
import { byExistence, type Existence } from './deleted-applications.ts';

/** An application as the operator sees it. */
export interface ApplicationOverview {
  id: string;
  domain: string;
  name: string;
  /** Username. */
  owner: string;
  createdAt: Date;
  /** Set if it was deleted and can be restored until `purgeAt`. */
  deletedAt?: Date;
  purgeAt?: Date;
}

export function managedApplications(db: Db) {
  const applications = db.collection<ApplicationDocument>('applications');

  return {
    /** The applications of one owner, or of all. Newest first. */
    overview: (ownerId?: string, existence: Existence = 'alive'): Promise<ApplicationOverview[]> =>
      applications
        .find({ ...(ownerId && { 'owner.id': new ObjectId(ownerId) }), ...byExistence[existence] })
        .sort({ createdAt: -1, _id: -1 })
        .project<ApplicationOverview>({
          _id: 0,
          id: { $toString: '$_id' },
          domain: 1,
          name: 1,
          owner: '$owner.username',
          createdAt: 1,
          deletedAt: 1,
          purgeAt: 1,
        })
        .toArray(),

    /** Gives an application, with its jobs, from one user to another. False when it is not that user's any more. May be run again. */
    async transfer(id: string, from: string, to: { id: string; username: string }): Promise<boolean> {
      const owner = { id: new ObjectId(to.id), username: to.username };
      const of = new ObjectId(from);
      // Quotas count the jobs of an owner. They come first, so that another try finds what one that died left.
      await db
        .collection('jobs')
        .updateMany({ application: new ObjectId(id), owner: of }, { $set: { owner: owner.id } });
      return hasMatched(
        applications.updateOne(
          { _id: new ObjectId(id), 'owner.id': of, ...alive },
          changing({ $set: { owner, lastModifiedAt: new Date() }, $pull: { members: { id: owner.id } } }),
        ),
      );
    },
  };
}
