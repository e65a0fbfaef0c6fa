import type { Store } from '@sluice/jobs/connect.ts';
import { ApplicationDeleted, type Turn } from '@sluice/jobs/kind.ts';
import type { ArchivedFile, ArchiveJob } from '@sluice/jobs/record/archive-record.ts';
import type { ExportShape } from '@sluice/jobs/record/export-record.ts';
import { type LakeManifest, noneDeletedName, readManifest, runName } from '@sluice/objects/lake/manifest.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { openSpool } from '@sluice/objects/spool.ts';
import type { Count } from '@sluice/shared/metrics/metrics.ts';
import { type ArchiveRecord, type Coverage, folderOf } from '@sluice/store/archives/archive-records.ts';
import type { EntryId } from '@sluice/store/entries/entry-id.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { storeDeletedList, writeDeletedList } from './deleted-list.ts';
import { createErasureRecords } from './erasure-records.ts';
import { createManifest, createSchemas, refuseForeign, versionsUpTo } from './manifest.ts';
import { openFormats } from './open-formats.ts';
import { planRun, startOf } from './plan-run.ts';
import { type ReadPages, readRun } from './read-run.ts';
import { type OpenFile, storeFile } from './write-file.ts';
import { writeFiles } from './write-files.ts';

export interface WriteRunOptions {
  store: Store;
  /** For temporary files: of each job two as large as a file. */
  folder: string;
  /** A file ends with the piece that reaches this. */
  fileBytes: number;
  /** A run ends with so many: the document of its job lists them. */
  mostFiles: number;
  /** Counts the bytes of each stored file. */
  countBytes: Count;
}

/** Stores the files of a run, after those that the job has, then its manifest; the coverage of the archive rises last. */
export async function writeRun(
  { store, folder: temporary, fileBytes, mostFiles, countBytes }: WriteRunOptions,
  objects: ObjectStore,
  { job, archive, read, turn }: { job: ArchiveJob; archive: ArchiveRecord; read: ReadPages; turn: Turn },
): Promise<NonNullable<ArchiveJob['result']>> {
  const { applications, archives, askedArchives, jobs, removals } = store;
  const { application, domain, fence } = job;
  const folder = folderOf(archive, domain);
  const isOnly = (await applications.archived(application))?.archive === archive.id;
  if (!job.plan && archive.asked && (await readManifest(objects, folder, archive.run))) {
    // Of before a restore: the next question begins anew.
    await askedArchives.forget(application);
    throw new ApplicationDeleted();
  }
  if (!job.plan) await refuseForeign(objects, folder, { run: archive.run, isOnly });
  const plan = await planRun(store, job, archive, turn);
  const keepShape = (shape: ExportShape) => jobs.archives.setShape(job.id, fence, shape);
  const { newFormat, learn } = await openFormats(store, job, plan, { archive, read, turn, keepShape });
  const files = [...job.files];

  async function record(file: OpenFile): Promise<void> {
    const place = { folder, extension: archive.format, fence };
    const archived = await storeFile(objects, file, {
      ...place,
      ...(archive.asked && { prefix: `entries/${runName(archive.run)}-` }),
    });
    if (!(await jobs.archives.addFile(job.id, fence, archived))) throw new LeaseLost();
    files.push(archived);
    countBytes(archived.bytes);
  }

  /** Where the run ends before its plan does, as it has so many files. Not below `before.until`: a coverage cannot say so. */
  function earlyEnd(): EntryId | undefined {
    const { last = '' } = files.at(-1) ?? {};
    return files.length >= mostFiles && last >= (plan.before.until ?? '') ? last : undefined;
  }

  /** Readers name the lists by a pattern, which some refuse where no file is. */
  async function writeNoneDeleted(): Promise<void> {
    const spool = await openSpool(temporary);
    try {
      await writeDeletedList([], undefined, spool, turn.check);
      await objects.create(`${folder}/${noneDeletedName}`, spool.pieces());
    } finally {
      await spool.close();
    }
  }

  /** What a worker has listed stays. */
  async function listDeleted(covers: Coverage): Promise<NonNullable<ArchiveJob['listed']>> {
    const found = removals.between(application, archive.covers.announced, covers.announced);
    const place = { folder, stem: `_deleted/${runName(archive.run)}`, temporary, fence };
    const deleted = await storeDeletedList(objects, found, covers.until, place, turn.check);
    const listed = deleted ? { deleted } : {};
    if (!(await jobs.archives.setListed(job.id, fence, listed))) throw new LeaseLost();
    return listed;
  }

  if (archive.manifests === 0) await writeNoneDeleted();
  if (!earlyEnd())
    await writeFiles(readRun(read, plan, { after: files.at(-1)?.last ?? startOf(plan) }), {
      newFormat,
      learn,
      store: record,
      async mayBegin(stored) {
        if (files.length + 1 < mostFiles) return true;
        await stored();
        return !earlyEnd();
      },
      limits: { folder: temporary, fileBytes, isOfDay: !archive.asked },
      turn,
    });
  const end = earlyEnd();
  const covers = end ? { ...plan.covers, until: end } : plan.covers;
  const { deleted } = job.listed ?? (await listDeleted(covers));
  // A purge begins after the deletion: if the application exists now, no entry was missing.
  if (!(await applications.byId(application))) throw new ApplicationDeleted();
  const hasManifest = files.length > 0 || deleted !== undefined;
  if (hasManifest) {
    await createSchemas(store, objects, folder, { application, version: plan.version });
    turn.checkLease();
    const manifest: LakeManifest = {
      run: archive.run,
      domain,
      format: archive.format,
      after: plan.before.until,
      ...(archive.asked && {
        afterVersion: plan.before.announced,
        untilVersion: covers.announced,
      }),
      until: covers.until,
      files,
      deleted,
      schemas: versionsUpTo(plan.version),
    };
    await createManifest(objects, folder, manifest, isOnly);
  }
  await createErasureRecords(store, objects, folder, archive);
  const result = totalsOf(files, { deleted });
  const { entries, bytes } = result;
  const added = { entries, bytes, manifests: hasManifest ? 1 : 0 };
  await archives.end(archive, { covers, ...result, added, isFurther: end !== undefined });
  const announced = await archives.leastAnnounced(application);
  if (announced !== undefined) await removals.forget(application, announced);
  return result;
}

export const totalsOf = (
  files: ArchivedFile[],
  { deleted }: NonNullable<ArchiveJob['listed']> = {},
): NonNullable<ArchiveJob['result']> => ({
  entries: files.reduce((sum, { entries }) => sum + entries, 0),
  files: files.length,
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  ...(deleted && { deletions: deleted.entries }),
});
