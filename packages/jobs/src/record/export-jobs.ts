import { fromKey } from '@sluice/store/entries/entry-id.ts';
import { hasMatched } from '@sluice/store/lease.ts';
import { type Binary, type ClientSession, type Db, ObjectId } from 'mongodb';
import type { ExportJob, ExportShape, Position } from './export-record.ts';
import type { Part } from './job.ts';
import { type ExportDocument, newDocument, toRecord, unfinished } from './job-records.ts';

export type NewExport = Pick<
  ExportJob,
  | 'application'
  | 'owner'
  | 'domain'
  | 'options'
  | 'version'
  | 'cut'
  | 'announced'
  | 'leafCount'
  | 'hasRest'
  | 'hasLarge'
  | 'transient'
  | 'target'
>;

/** Operations of exports: one worker at a time writes part after part. */
export function exportJobs(db: Db) {
  const jobs = db.collection<ExportDocument>('jobs');
  const leased = (id: string, fence: number) => ({ _id: new ObjectId(id), state: 'active' as const, fence });

  return {
    async create(job: NewExport): Promise<ExportJob> {
      const document: ExportDocument = { ...job, ...newDocument(job), kind: 'export' };
      await jobs.insertOne(document);
      return toRecord(document);
    },

    /** Counts an owner's exports that are kept or will be kept, up to `most`. */
    async keptOfOwner(owner: string, most: number): Promise<number> {
      const isKept = { kind: 'export', transient: false, state: { $ne: 'cancelled' } } as const;
      return jobs.countDocuments({ ...isKept, owner: new ObjectId(owner) }, { limit: most });
    },

    /** Marks unfinished exports that lose entries, in the transaction that deletes them. */
    async noteDeleted(session: ClientSession, application: string, keys: Binary[]): Promise<void> {
      const ofApplication = { application: new ObjectId(application), kind: 'export' } as const;
      const open = { state: { $in: [...unfinished, 'failed' as const] }, deletedMeanwhile: { $ne: true } };
      const fields = { 'options.from': 1, 'options.to': 1, cut: 1 } as const;
      const found = jobs.find({ ...ofApplication, ...open }, { session }).project<ExportDocument>(fields);
      const deleted = keys.map(fromKey);
      const concerned = (await found.toArray()).filter(({ options: { from, to }, cut }) =>
        deleted.some(
          ({ id, createdAt }) => cut && id <= cut && (!from || createdAt >= from) && (!to || createdAt < to),
        ),
      );
      if (concerned.length === 0) return;
      const _id = { $in: concerned.map((job) => job._id) };
      await jobs.updateMany({ _id }, { $set: { deletedMeanwhile: true } }, { session });
    },

    async setDeletedMeanwhile(id: string): Promise<void> {
      await jobs.updateOne({ _id: new ObjectId(id) }, { $set: { deletedMeanwhile: true } });
    },

    /** False: the lease is lost. */
    setFollowsArchive: (id: string, fence: number): Promise<boolean> =>
      hasMatched(jobs.updateOne(leased(id, fence), { $set: { followsArchive: true } })),

    /** False: the lease is lost. */
    setShape: (id: string, fence: number, shape: ExportShape): Promise<boolean> =>
      hasMatched(jobs.updateOne(leased(id, fence), { $set: { shape, attempts: 0 } })),

    /** Notes the object that the file becomes part by part. False: the lease is lost. */
    setUpload: (id: string, fence: number, upload: string): Promise<boolean> =>
      hasMatched(jobs.updateOne(leased(id, fence), { $set: { upload: { id: upload, tags: [] } } })),

    /** Adds stored parts to the file, all at once. False: the lease is lost. */
    commitParts(
      id: string,
      fence: number,
      { parts, position, tags, ...times }: PartsCommit,
    ): Promise<boolean> {
      const sum = (of: 'rows' | 'bytes') => parts.reduce((total, part) => total + part[of], 0);
      const change = {
        $push: { parts: { $each: parts }, ...(tags && { 'upload.tags': { $each: tags } }) },
        $inc: { done: sum('rows'), bytes: sum('bytes') },
        $set: { position, attempts: 0, ...times },
      };
      return hasMatched(jobs.updateOne(leased(id, fence), change));
    },
  };
}

interface PartsCommit {
  parts: Part[];
  /** Where the next part begins. */
  position: Position;
  /** Of further parts of the object. */
  tags?: string[] | undefined;
  firstCreatedAt: Date | undefined;
  lastCreatedAt: Date | undefined;
}
