import { type ClientSession, type Db, type Filter, ObjectId } from 'mongodb';
import { type ApplicationDocument, alive } from '../applications/application-document.ts';
import { deletionGuard } from '../entries/deletion-guard.ts';
import { inTransaction } from '../in-transaction.ts';
import { fromNow, hasMatched } from '../lease.ts';
import {
  type ArchiveDocument,
  type ArchiveRecord,
  archivePeriods,
  type Coverage,
  toArchive,
} from './archive-records.ts';

export const archivesName = 'archives';

/** The settings that a user chooses. */
export type ArchiveFields = Pick<ArchiveRecord, 'to' | 'format' | 'every' | 'from' | 'name' | 'meta'>;

/** A finished run. `added`: what the archive has more than before. */
export type ArchivedRun = Pick<ArchiveRecord, 'covers'> & {
  entries: number;
  files: number;
  bytes: number;
  deletions?: number;
  added: Pick<ArchiveRecord, 'entries' | 'bytes' | 'manifests'>;
  /** There is more to archive at once. */
  isFurther: boolean;
};

const longestWaitMs = 300_000;
/** For ever: a question makes a run due. */
const untilAskedMs = 100 * 365 * 86_400_000;
/** Archives of owners; the others are for questions, see asked-archives.ts. */
const ofOwner = { asked: { $exists: false } } as const;

/** The next run is due, also behind one that is under way. By MongoDB's clock: at once. */
const atOnce = { dueAt: new Date(0), hurried: true };

/** When a run that succeeds has to be over: a period after the run before. */
const expectedAt = {
  $cond: [
    '$lastRun.at',
    {
      $add: [
        '$lastRun.at',
        {
          $switch: {
            branches: Object.entries(archivePeriods).map(([every, ms]) => ({
              case: { $eq: ['$every', every] },
              // biome-ignore lint/suspicious/noThenProperty: MongoDB's name
              then: ms,
            })),
          },
        },
      ],
    },
    '$createdAt',
  ],
};

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
  const one = (application: string, id: string): Filter<ArchiveDocument> => ({
    _id: ObjectId.isValid(id) ? new ObjectId(id) : new ObjectId('0'.repeat(24)),
    application: new ObjectId(application),
  });

  return {
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
      const now = new Date();
      const document: ArchiveDocument = {
        _id: new ObjectId(),
        application: new ObjectId(application),
        state: 'active',
        ...fields,
        run: 1,
        failures: 0,
        entries: 0,
        bytes: 0,
        manifests: 0,
        // By MongoDB's clock: at once.
        dueAt: new Date(0),
        createdAt: now,
        lastModifiedAt: now,
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

    async get(application: string, id: string): Promise<ArchiveRecord | undefined> {
      const found = await archives.findOne(one(application, id));
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
        one(application, id),
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
        return (await archives.deleteOne(one(application, id), { session })).deletedCount === 1;
      }),

    /** Makes the next run due at once, or as soon as the one that is under way has ended. */
    async hurry(application: string, id: string): Promise<void> {
      await archives.updateOne(one(application, id), { $set: atOnce });
    },

    /** Called before a run is planned: it has all that is stored by now. */
    async takeUp(application: string, id: string): Promise<void> {
      const change = { $unset: { hurried: '' as const }, $currentDate: { plannedAt: true as const } };
      await archives.updateOne(one(application, id), change);
    },

    /** Makes the runs of an owner's archives due: each stores the record of an erasure and lists deleted entries. */
    async noteErasure(application: string, erasure: string): Promise<void> {
      await archives.updateMany(
        { application: new ObjectId(application), ...ofOwner },
        { $addToSet: { erasures: erasure }, $set: { dueAt: new Date(0) } },
      );
    },

    /** The archive has the records of these erasures. */
    async forgetErasures({ application, id }: Pick<ArchiveRecord, 'id' | 'application'>, erasures: string[]) {
      await archives.updateOne(one(application, id), { $pullAll: { erasures } });
    },

    /** Archives whose next run, or next try of a failed run, is due; the longest due first. */
    async due(limit: number): Promise<ArchiveRecord[]> {
      const isDue = { state: { $ne: 'paused' as const }, $expr: { $lte: ['$dueAt', '$$NOW'] } };
      const found = archives.find(isDue).sort({ dueAt: 1 }).limit(limit);
      return (await found.toArray()).map(toArchive);
    },

    /** Lets an archive wait whose application is deleted, but may be restored. */
    async putOff({ id, application, run }: Pick<ArchiveRecord, 'id' | 'application' | 'run'>): Promise<void> {
      await archives.updateOne({ ...one(application, id), run }, [
        { $set: { dueAt: fromNow(longestWaitMs) } },
      ]);
    },

    /** Of active and of failing archives, how late the latest is, in ms: its run is not over a period after the one before. */
    async lags(): Promise<{ active: number; failing: number }> {
      const found = await archives
        .aggregate<{ _id: 'active' | 'failing'; ms: number }>([
          { $match: { state: { $ne: 'paused' }, ...ofOwner } },
          { $set: { ms: { $subtract: ['$$NOW', expectedAt] } } },
          { $match: { ms: { $gt: 0 } } },
          {
            $lookup: {
              from: 'applications',
              localField: 'application',
              foreignField: '_id',
              pipeline: [{ $match: alive }, { $project: { _id: 1 } }],
              as: 'applications',
            },
          },
          { $match: { applications: { $ne: [] } } },
          { $group: { _id: '$state', ms: { $max: '$ms' } } },
        ])
        .toArray();
      const of = (state: 'active' | 'failing') => found.find(({ _id }) => _id === state)?.ms ?? 0;
      return { active: of('active'), failing: of('failing') };
    },

    /** Ends a run, once: false when it has ended, or the archive is gone. */
    end(
      {
        id,
        application,
        run,
        every,
        asked,
      }: Pick<ArchiveRecord, 'id' | 'application' | 'run' | 'every' | 'asked'>,
      { covers, entries, files, bytes, deletions, added, isFurther }: ArchivedRun,
    ): Promise<boolean> {
      const late = { $cond: [{ $lte: ['$late.announced', covers.announced] }, '$$REMOVE', '$late'] };
      return hasMatched(
        archives.updateOne({ ...one(application, id), run }, [
          {
            $set: {
              covers: { $literal: covers },
              run: run + 1,
              lastRun: {
                run,
                at: '$$NOW',
                // A part of a run leaves what was there before.
                plannedAt: isFurther ? { $ifNull: ['$lastRun.plannedAt', '$createdAt'] } : '$plannedAt',
                entries,
                files,
                bytes,
                deletions: deletions ?? '$$REMOVE',
              },
              entries: { $add: ['$entries', added.entries] },
              bytes: { $add: ['$bytes', added.bytes] },
              manifests: { $add: ['$manifests', added.manifests] },
              late,
              failures: 0,
              state: { $cond: [{ $eq: ['$state', 'failing'] }, 'active', '$state'] },
              reason: '$$REMOVE',
              // Of a run that is due, with the record of an erasure that ended meanwhile, or when asked for: the next begins at once.
              dueAt: {
                $cond: [
                  { $or: [isFurther, '$hurried', { $gt: ['$erasures', []] }] },
                  new Date(0),
                  fromNow(asked ? untilAskedMs : archivePeriods[every]),
                ],
              },
            },
          },
        ]),
      );
    },

    /** A run failed: it is tried again after 10 s, then ever later, at most every 5 min. */
    async fail(
      { id, application, run, failures }: Pick<ArchiveRecord, 'id' | 'application' | 'run' | 'failures'>,
      reason: string,
    ): Promise<void> {
      const waitMs = Math.min(10_000 * 2 ** failures, longestWaitMs);
      await archives.updateOne({ ...one(application, id), run }, [
        {
          $set: {
            state: { $cond: [{ $eq: ['$state', 'paused'] }, '$state', 'failing'] },
            reason: { $literal: reason },
            failures: { $add: ['$failures', 1] },
            dueAt: fromNow(waitMs),
          },
        },
      ]);
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
