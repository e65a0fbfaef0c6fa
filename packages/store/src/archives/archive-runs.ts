import type { Db } from 'mongodb';
import { alive } from '../applications/application-document.ts';
import { fromNow, hasMatched } from '../lease.ts';
import {
  type ArchiveDocument,
  type ArchiveRecord,
  archivePeriods,
  archivesName,
  ofOwner,
  oneArchive,
  toArchive,
} from './archive-records.ts';

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

/** What runs of archives write: when they are due, how they end, and how late they are. */
export function archiveRuns(db: Db) {
  const archives = db.collection<ArchiveDocument>(archivesName);

  return {
    /** Called before a run is planned: it has all that is stored by now. */
    async takeUp(application: string, id: string): Promise<void> {
      const change = { $unset: { hurried: '' as const }, $currentDate: { plannedAt: true as const } };
      await archives.updateOne(oneArchive(application, id), change);
    },

    /** The archive has the records of these erasures. */
    async forgetErasures({ application, id }: Pick<ArchiveRecord, 'id' | 'application'>, erasures: string[]) {
      await archives.updateOne(oneArchive(application, id), { $pullAll: { erasures } });
    },

    /** Archives whose next run, or next try of a failed run, is due; the longest due first. */
    async due(limit: number): Promise<ArchiveRecord[]> {
      const isDue = { state: { $ne: 'paused' as const }, $expr: { $lte: ['$dueAt', '$$NOW'] } };
      const found = archives.find(isDue).sort({ dueAt: 1 }).limit(limit);
      return (await found.toArray()).map(toArchive);
    },

    /** Lets an archive wait whose application is deleted, but may be restored. */
    async putOff({ id, application, run }: Pick<ArchiveRecord, 'id' | 'application' | 'run'>): Promise<void> {
      await archives.updateOne({ ...oneArchive(application, id), run }, [
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
        archives.updateOne({ ...oneArchive(application, id), run }, [
          {
            $set: {
              covers: { $literal: covers },
              run: run + 1,
              lastRun: {
                run,
                at: '$$NOW',
                // A run that ended early keeps the earlier time.
                plannedAt: isFurther ? { $ifNull: ['$lastRun.plannedAt', '$createdAt'] } : '$plannedAt',
                entries,
                files,
                bytes,
                deletions: deletions ?? '$$REMOVE',
              },
              entries: { $add: ['$entries', added.entries] },
              bytes: { $add: ['$bytes', added.bytes] },
              manifests: { $add: ['$manifests', added.manifests] },
              ...(asked && added.manifests > 0 && { lastManifest: run }),
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
      await archives.updateOne({ ...oneArchive(application, id), run }, [
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
  };
}
