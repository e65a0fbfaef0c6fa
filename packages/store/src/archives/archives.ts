import { type ClientSession, type Db, ObjectId } from 'mongodb';
import type { ApplicationDocument } from '../applications/application-document.ts';
import { countByApplication } from '../count-by-application.ts';
import { deletionGuard } from '../entries/deletion-guard.ts';
import { inTransaction } from '../in-transaction.ts';
import {
  type ArchiveDocument,
  type ArchiveRecord,
  archivesName,
  type Coverage,
  ofOwner,
  oneArchive,
  toArchive,
  withoutRuns,
} from './archive-records.ts';
import { archiveRuns } from './archive-runs.ts';

/** The settings that a user chooses. */
export type ArchiveFields = Pick<ArchiveRecord, 'to' | 'format' | 'every' | 'from' | 'name' | 'meta'>;

/** The next run is due, also behind one that is under way. By MongoDB's clock: at once. */
const atOnce = { dueAt: new Date(0), hurried: true };

/** Whether an archive is one of the owner's, as a transaction sees it. */
export async function hasArchive(
  db: Db,
  application: string,
  id: string,
  session: ClientSession,
): Promise<boolean> {
  const own = { _id: new ObjectId(id), application: new ObjectId(application), ...ofOwner };
  return (await db.collection(archivesName).findOne(own, { session, projection: { _id: 1 } })) !== null;
}

export type ArchiveStore = ReturnType<typeof archiveStore>;

/** Archives of applications, and what their runs have stored. */
export function archiveStore(db: Db) {
  const archives = db.collection<ArchiveDocument>(archivesName);
  const guard = deletionGuard(db);

  return {
    ...archiveRuns(db),

    /**
     * Its first run is due at once. Undefined when the application has `limit` archives already. `begin` is called in the transaction,
     * with the other archives, and returns what this one covers at first. No entry is announced beside it.
     */
    async create(
      application: string,
      fields: ArchiveFields & Pick<ArchiveRecord, 'createdBy' | 'covers'>,
      limit: number,
      begin?: (session: ClientSession, others: ArchiveRecord[]) => Promise<Coverage>,
    ): Promise<ArchiveRecord | undefined> {
      const document: ArchiveDocument = {
        _id: new ObjectId(),
        application: new ObjectId(application),
        ...fields,
        ...withoutRuns(),
      };
      // Here too, as two transactions at once may not make its document.
      await guard.touch(application);
      return inTransaction(db, async (session) => {
        await guard.touch(application, session);
        const found = archives.find({ application: document.application, ...ofOwner }, { session });
        const others = (await found.toArray()).map(toArchive);
        if (others.length >= limit) return undefined;
        if (begin) document.covers = await begin(session, others);
        await archives.insertOne(document, { session });
        return toArchive(document);
      });
    },

    /** The coverage that all archives of an application share. Undefined if `id` is not one of the archives. */
    async coveredByAll(application: string, id: string): Promise<Required<Coverage> | undefined> {
      const all = await archives.find({ application: new ObjectId(application), ...ofOwner }).toArray();
      const until = all.map(({ covers }) => covers.until ?? '').toSorted()[0];
      if (!until || !all.some(({ _id }) => _id.toHexString() === id)) return undefined;
      return { until, announced: Math.min(...all.map(({ covers }) => covers.announced)) };
    },

    /** Newest first. */
    async list(application: string): Promise<ArchiveRecord[]> {
      const found = archives.find({ application: new ObjectId(application), ...ofOwner }).sort({ _id: -1 });
      return (await found.toArray()).map(toArchive);
    },

    /** The lowest `announced` that archives of an application cover, those for questions too. */
    async leastAnnounced(application: string): Promise<number | undefined> {
      const all = await archives.find({ application: new ObjectId(application) }).toArray();
      return all.length > 0 ? Math.min(...all.map(({ covers }) => covers.announced)) : undefined;
    },

    /** How many of each application fail. */
    failingOf: (applications: string[]) =>
      countByApplication(db, archivesName, applications, { state: 'failing', ...ofOwner }),

    async get(application: string, id: string): Promise<ArchiveRecord | undefined> {
      const found = await archives.findOne(oneArchive(application, id));
      return found ? toArchive(found) : undefined;
    },

    /** All but a new name makes the next run due at once. Undefined when there is no such archive. */
    async update(
      application: string,
      id: string,
      change: Partial<Pick<ArchiveRecord, 'to' | 'every' | 'name' | 'state'>>,
    ): Promise<ArchiveRecord | undefined> {
      const isDue = change.to || change.every || change.state === 'active';
      const $set = {
        ...change,
        ...(isDue && { ...atOnce, failures: 0 }),
        lastModifiedAt: new Date(),
      };
      const found = await archives.findOneAndUpdate(
        oneArchive(application, id),
        change.state ? { $set, $unset: { reason: '' } } : { $set },
        { returnDocument: 'after' },
      );
      return found ? toArchive(found) : undefined;
    },

    /** False when there is no such archive, or the retention of the application uses it. */
    remove: (application: string, id: string): Promise<boolean> =>
      inTransaction(db, async (session) => {
        const unused = { _id: new ObjectId(application), retentionArchive: { $ne: id } };
        // Written, so that a change of the retention at the same time begins again.
        const noted = { $currentDate: { archivesChangedAt: true as const } };
        const found = await db
          .collection<ApplicationDocument>('applications')
          .updateOne(unused, noted, { session });
        if (found.matchedCount === 0) return false;
        return (await archives.deleteOne(oneArchive(application, id), { session })).deletedCount === 1;
      }),

    /** Makes the next run due at once, or as soon as the one that is under way has ended. */
    async hurry(application: string, id: string): Promise<void> {
      await archives.updateOne(oneArchive(application, id), { $set: atOnce });
    },

    /** Makes the runs of an owner's archives due: each stores the record of an erasure and lists deleted entries. */
    async noteErasure(application: string, erasure: string): Promise<void> {
      await archives.updateMany(
        { application: new ObjectId(application), ...ofOwner },
        { $addToSet: { erasures: erasure }, $set: { dueAt: new Date(0) } },
      );
    },

    /** Notes entries that are older than when they are stored, in the transaction that announces them. */
    async noteLate(
      session: ClientSession,
      application: string,
      since: Date,
      announced: number,
    ): Promise<void> {
      await archives.updateMany(
        { application: new ObjectId(application) },
        { $min: { 'late.since': since, 'late.at': new Date() }, $max: { 'late.announced': announced } },
        { session },
      );
    },
  };
}
