import { basename } from 'node:path/posix';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Store } from '@sluice/jobs/connect.ts';
import { ApplicationDeleted, JobFailed, type Turn } from '@sluice/jobs/kind.ts';
import type { ArchivedFile, ArchiveJob } from '@sluice/jobs/record/archive-record.ts';
import { readDeletedIds } from '@sluice/objects/lake/deleted-ids.ts';
import { fetchList } from '@sluice/objects/lake/fetch-file.ts';
import { type LakeManifest, noneDeletedName, runName } from '@sluice/objects/lake/manifest.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { openSpool } from '@sluice/objects/spool.ts';
import type { Count } from '@sluice/shared/metrics/metrics.ts';
import { type ArchiveRecord, type Coverage, folderOf } from '@sluice/store/archives/archive-records.ts';
import type { EntryId } from '@sluice/store/entries/entry-id.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { createObject } from './create-object.ts';
import { writeDeletedList } from './deleted-list.ts';
import { createErasureRecords } from './erasure-records.ts';
import { createManifest, createSchemas, refuseForeign, versionsUpTo } from './manifest.ts';
import { manifestsOf, mergeOf, removeReplaced, replacedBy, stemOf, sumOf } from './merging.ts';
import { openFormats } from './open-formats.ts';
import { planRun, startOf } from './plan-run.ts';
import { type ReadPages, readRun } from './read-run.ts';
import { type OpenFile, openFile } from './write-file.ts';

/** Bytes converted between pauses: without a pause, nothing is received from MongoDB. */
const stepBytes = 32 * 1024;

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
  const live = archive.asked ? await manifestsOf(objects, folder, archive, job.plan !== undefined) : [];
  if (!live) {
    // The next question begins anew.
    await askedArchives.forget(application);
    throw new ApplicationDeleted();
  }
  if (!job.plan) await refuseForeign(objects, folder, { run: archive.run, isOnly });
  const plan = await planRun(store, job, archive, mergeOf(live, archive.run), turn);
  const replaced = plan.replaces === undefined ? [] : replacedBy(live, plan.replaces);
  const kept = live.length - replaced.length;
  const { newFormat, learn } = await openFormats(store, job, plan, archive, read, turn);
  const files = [...job.files];
  let open: OpenFile | undefined;
  /** The file before is stored while the next is written. */
  let storing: Promise<void> = Promise.resolve();

  async function record(file: OpenFile): Promise<void> {
    try {
      const { stem, ...rest } = await file.end();
      const place = {
        folder,
        stem: archive.asked ? `${stemOf(archive.run)}${basename(stem)}` : stem,
        extension: archive.format,
      };
      const name = await createObject(objects, place, file.spool, fence);
      const archived: ArchivedFile = { name, ...rest };
      if (!(await jobs.archives.addFile(job.id, fence, archived))) throw new LeaseLost();
      files.push(archived);
      countBytes(archived.bytes);
    } finally {
      await file.spool.close();
    }
  }

  async function endFile(): Promise<void> {
    const ended = open;
    if (!ended) return;
    await storing;
    open = undefined;
    storing = record(ended);
    // A failure is handled at the later await.
    storing.catch(() => undefined);
    // Only here: an unfinished file is begun anew.
    await turn.giveWay();
  }

  /** Where the run ends before its plan does, as it has so many files. Not below `before.until`: a coverage cannot say so. */
  function earlyEnd(): EntryId | undefined {
    const { last = '' } = files.at(-1) ?? {};
    return files.length >= mostFiles && last >= (plan.before.until ?? '') ? last : undefined;
  }

  async function writeFiles(): Promise<void> {
    let convertedBytes = 0;
    if (earlyEnd()) return;
    for await (const documents of readRun(read, plan, {
      after: files.at(-1)?.last ?? startOf(plan),
    })) {
      await learn(documents);
      for (const document of documents) {
        if (open && !open.takes(document)) await endFile();
        if (!open && files.length + 1 >= mostFiles) {
          await storing;
          if (earlyEnd()) return;
        }
        open ??= await openFile(await newFormat(), document, {
          folder: temporary,
          fileBytes,
          isOfDay: !archive.asked,
        });
        await open.add(document);
        convertedBytes += document.length;
        if (convertedBytes < stepBytes) continue;
        convertedBytes = 0;
        await breathe();
      }
      open?.keepLast();
      turn.check();
    }
    await endFile();
    await storing;
  }

  /** Deleted since the run before, and of replaced runs what they listed. */
  async function* removed(until: number): ReturnType<typeof removals.between> {
    for (const { deleted } of replaced) {
      const bytes = deleted && (await fetchList({ store: objects, folder, temporary }, deleted));
      if (deleted && !bytes) throw new JobFailed(`${folder}/${deleted.name} is missing`);
      if (bytes) for await (const id of readDeletedIds(bytes)) yield { id, at: new Date(0) };
    }
    yield* removals.between(application, archive.covers.announced, until);
  }

  async function writeDeleted(covers: Coverage): Promise<LakeManifest['deleted']> {
    // No file is older.
    if (plan.replaces !== undefined && kept === 0) return undefined;
    const spool = await openSpool(temporary);
    try {
      const found = removed(covers.announced);
      const entries = await writeDeletedList(found, covers.until, spool, turn.check);
      if (entries === 0) return undefined;
      const place = { folder, stem: `_deleted/${runName(archive.run)}`, extension: 'parquet' };
      const name = await createObject(objects, place, spool, fence);
      return { name, entries, bytes: spool.bytes(), sha256: spool.sha256() };
    } finally {
      await spool.close();
    }
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
    const deleted = await writeDeleted(covers);
    const listed = deleted ? { deleted } : {};
    if (!(await jobs.archives.setListed(job.id, fence, listed))) throw new LeaseLost();
    return listed;
  }

  if (archive.manifests === 0) await writeNoneDeleted();
  try {
    await writeFiles();
  } finally {
    await storing.catch(() => undefined);
    await open?.spool.close();
  }
  const end = earlyEnd();
  const covers = end ? { ...plan.covers, until: end } : plan.covers;
  const { deleted } = job.listed ?? (await listDeleted(covers));
  // A purge begins after the deletion: if the application exists now, no entry was missing.
  if (!(await applications.byId(application))) throw new ApplicationDeleted();
  const hasManifest = files.length > 0 || deleted !== undefined || replaced.length > 0;
  if (hasManifest) {
    await createSchemas(store, objects, folder, { application, version: plan.version });
    turn.checkLease();
    const manifest: LakeManifest = {
      run: archive.run,
      domain,
      format: archive.format,
      after: plan.before.until,
      ...(archive.asked && { announced: plan.before.announced, replaces: plan.replaces }),
      until: covers.until,
      files,
      deleted,
      schemas: versionsUpTo(plan.version),
    };
    await createManifest(objects, folder, manifest, isOnly);
  }
  await createErasureRecords(store, objects, folder, archive);
  const result = totalsOf(files, { deleted });
  const added = {
    entries: result.entries - sumOf(replaced, 'entries'),
    bytes: result.bytes - sumOf(replaced, 'bytes'),
    manifests: (hasManifest ? 1 : 0) - replaced.length,
  };
  await archives.end(archive, { covers, ...result, added, isFurther: end !== undefined });
  const announced = await archives.leastAnnounced(application);
  if (announced !== undefined) await removals.forget(application, announced);
  if (archive.asked) await removeReplaced(objects, folder, archive.run);
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
