import { type Db, ObjectId } from 'mongodb';
import { changing } from '../changes.ts';
import { idsOf } from '../ids.ts';
import { fromNow, hasMatched } from '../lease.ts';
import { alive } from './application-document.ts';

/** A purge that begins takes `purgeAt` away: so an application is either restored or purged. */
export const restorable = { deletedAt: { $exists: true }, purgeAt: { $exists: true } };
/** Those whose entries are kept. */
export const kept = { $or: [alive, restorable] };

/** Those that exist, or those that were deleted and can be restored. */
export const byExistence = { alive, restorable };
export type Existence = keyof typeof byExistence;

/** Deleted, without a way back, and something of it may be left. */
const toPurge = { deletedAt: { $exists: true }, purgeAt: { $exists: false }, purgedAt: { $exists: false } };

/** It keeps the time of the last change, so that the feed has the deletion. */
const left = ['_id', 'domain', 'owner', 'createdAt', 'lastModifiedAt', 'deletedAt', 'changedAt'];
const tombstone = { $replaceWith: Object.fromEntries(left.map((name) => [name, `$${name}`])) };
const isDue = { $lte: ['$purgeAt', '$$NOW'] };

/** Deletion, the way back for a while, and the tombstones that stay. */
export function deletedApplications(db: Db) {
  const applications = db.collection('applications', { enableUtf8Validation: false });

  return {
    /**
     * Deletes an application; for `graceMs` from now it can be restored, until `purgeAt`. With 0 only a tombstone is left.
     * Undefined when there is no such application.
     */
    async remove(
      domain: string,
      ownerId: string,
      graceMs: number,
    ): Promise<{ id: string; purgeAt?: Date } | undefined> {
      const removed = await applications.findOneAndUpdate(
        { domain, 'owner.id': new ObjectId(ownerId), ...alive },
        changing([
          { $set: { deletedAt: '$$NOW' } },
          graceMs > 0 ? { $set: { purgeAt: fromNow(graceMs) } } : tombstone,
        ]),
        { returnDocument: 'after', projection: { purgeAt: 1 } },
      );
      return removed ? { id: removed._id.toHexString(), purgeAt: removed.purgeAt } : undefined;
    },

    /** False when there is nothing to restore: it was not deleted, or its purge has begun. */
    restore: (domain: string, ownerId: string): Promise<boolean> =>
      hasMatched(
        applications.updateOne(
          { domain, 'owner.id': new ObjectId(ownerId), ...restorable },
          changing({ $unset: { deletedAt: '', purgeAt: '' } }),
        ),
      ),

    /** Leaves tombstones of all deleted applications of an owner: nobody can restore them any more. */
    async forgetRestorable(ownerId: string): Promise<void> {
      await applications.updateMany({ 'owner.id': new ObjectId(ownerId), ...restorable }, [tombstone]);
    },

    /** Deleted applications whose purge is to begin, or is not finished. */
    async unpurged(limit: number): Promise<string[]> {
      const due = { ...restorable, $expr: isDue };
      return idsOf(applications.find({ $or: [toPurge, due] }), limit);
    },

    /** Leaves a tombstone when the time for a restore is over. */
    async beginPurge(id: string): Promise<void> {
      await applications.updateOne({ _id: new ObjectId(id), ...restorable, $expr: isDue }, [tombstone]);
    },

    /** A tombstone that is not purged yet, and whether it is older than `graceMs`, by the clock of the server. */
    async tombstone(id: string, graceMs = 0): Promise<{ isOlder: boolean } | undefined> {
      const isOlder = { $lt: ['$deletedAt', { $subtract: ['$$NOW', graceMs] }] };
      const found = await applications.findOne<{ isOlder: boolean }>(
        { _id: new ObjectId(id), ...toPurge },
        { projection: { isOlder } },
      );
      return found ?? undefined;
    },

    /** Those of these that are deleted, with nothing left. */
    purgedAmong: (ids: string[]): Promise<string[]> =>
      idsOf(
        applications.find({
          _id: { $in: ids.map((id) => new ObjectId(id)) },
          purgedAt: { $exists: true },
        }),
      ),

    async markPurged(id: string): Promise<void> {
      await applications.updateOne(
        { _id: new ObjectId(id), ...toPurge },
        { $currentDate: { purgedAt: true } },
      );
    },
  };
}
