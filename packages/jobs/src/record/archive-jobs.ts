import { isDuplicate } from '@sluice/store/faults.ts';
import { hasMatched } from '@sluice/store/lease.ts';
import { type Db, ObjectId } from 'mongodb';
import type { ArchivedFile, ArchiveJob, ArchivePlan } from './archive-record.ts';
import type { ExportShape } from './export-record.ts';
import { type ArchiveJobDocument, newDocument, toRecord } from './job-records.ts';

/** Operations of runs of archives: one worker at a time writes file after file. */
export function archiveJobs(db: Db) {
  const jobs = db.collection<ArchiveJobDocument>('jobs');
  const leased = (id: string, fence: number) => ({ _id: new ObjectId(id), state: 'active' as const, fence });

  /** The job of a run, without its files. */
  async function ofRun({ archive, run }: ArchiveJob['options']): Promise<ArchiveJob | undefined> {
    const found = await jobs.findOne(
      { kind: 'archive', 'options.archive': archive, 'options.run': run },
      { projection: { files: 0, shape: 0 } },
    );
    return found ? toRecord(found) : undefined;
  }

  return {
    ofRun,

    /** The job of a run; of several calls one makes it. */
    async create(
      job: Pick<ArchiveJob, 'application' | 'owner' | 'domain' | 'options' | 'transient'>,
    ): Promise<ArchiveJob> {
      const document: ArchiveJobDocument = { ...job, ...newDocument(job), kind: 'archive', files: [] };
      const { archive, run } = job.options;
      if (job.transient)
        await jobs.deleteMany({ kind: 'archive', 'options.archive': archive, 'options.run': { $lt: run } });
      try {
        await jobs.insertOne(document);
        return toRecord(document);
      } catch (error) {
        const found = isDuplicate(error) ? await ofRun(job.options) : undefined;
        if (!found) throw error;
        return found;
      }
    },

    /** Newest first, without their files. */
    async runs(application: string, archive: string, limit: number): Promise<ArchiveJob[]> {
      const found = jobs
        .find({ application: new ObjectId(application), kind: 'archive', 'options.archive': archive })
        .sort({ createdAt: -1 })
        .limit(limit);
      const documents = await found.project<ArchiveJobDocument>({ parts: 0, files: 0 }).toArray();
      return documents.map((document) => toRecord(document));
    },

    /** Fixes what the run archives. False: the lease is lost. */
    setPlan: (id: string, fence: number, plan: ArchivePlan): Promise<boolean> =>
      hasMatched(jobs.updateOne(leased(id, fence), { $set: { plan, attempts: 0 } })),

    /** False: the lease is lost. */
    setShape: (id: string, fence: number, shape: ExportShape): Promise<boolean> =>
      hasMatched(jobs.updateOne(leased(id, fence), { $set: { shape, attempts: 0 } })),

    /** Fixes which deleted entries the run lists: they can be others a moment later. False: the lease is lost. */
    setListed: (id: string, fence: number, listed: NonNullable<ArchiveJob['listed']>): Promise<boolean> =>
      hasMatched(jobs.updateOne(leased(id, fence), { $set: { listed, attempts: 0 } })),

    /** Adds a stored file. False: the lease is lost. */
    addFile: (id: string, fence: number, file: ArchivedFile): Promise<boolean> =>
      hasMatched(
        jobs.updateOne(leased(id, fence), {
          $push: { files: file },
          $inc: { done: file.entries, bytes: file.bytes },
          $set: { attempts: 0 },
        }),
      ),
  };
}
