import type { Store } from '@sluice/jobs/connect.ts';
import { JobFailed, type Turn } from '@sluice/jobs/kind.ts';
import type { ArchivedFile, ArchiveJob, ArchivePlan } from '@sluice/jobs/record/archive-record.ts';
import { readDeletedIds } from '@sluice/objects/lake/deleted-ids.ts';
import { fetchList } from '@sluice/objects/lake/fetch-file.ts';
import { mergedFolder, nameOf, numberIn, readLive } from '@sluice/objects/lake/live-manifests.ts';
import { type LakeManifest, manifestBytes } from '@sluice/objects/lake/manifest.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { whole } from '@sluice/objects/pieces.ts';
import { type ArchiveRecord, folderOf } from '@sluice/store/archives/archive-records.ts';
import { timeOfId } from '@sluice/store/entries/entry-id.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { storeDeletedList } from './deleted-list.ts';
import { versionsUpTo } from './manifest.ts';
import { mergeOf, removeReplaced, stemOf } from './merging.ts';
import { openFormats } from './open-formats.ts';
import { columnsNow, startOf } from './plan-run.ts';
import { type ReadPages, readRun } from './read-run.ts';
import { type OpenFile, storeFile } from './write-file.ts';
import { writeFiles } from './write-files.ts';
import type { WriteRunOptions } from './write-run.ts';

interface Merging {
  job: Pick<ArchiveJob, 'application' | 'domain' | 'createdAt'>;
  archive: Pick<ArchiveRecord, 'id' | 'application'>;
  read: ReadPages;
  signal: AbortSignal;
}

/**
 * Merges the files of ended runs, while further runs go on and questions read what is there. Another worker may
 * have the archive: then nothing is merged. What a worker leaves that dies, the next removes.
 */
export async function mergeRuns(
  options: Pick<WriteRunOptions, 'store' | 'folder' | 'fileBytes'>,
  objects: ObjectStore,
  { archive, signal, ...rest }: Merging,
): Promise<void> {
  const { archives, compactions } = options.store;
  await compactions.compact(archive, undefined, async (checkLease, fence) => {
    const check = () => {
      signal.throwIfAborted();
      checkLease();
    };
    for (;;) {
      const record = await archives.get(archive.application, archive.id);
      if (!record) return;
      const folder = folderOf(record, rest.job.domain);
      await removeReplaced(objects, folder, record);
      const live = await readLive(objects, folder, record);
      const replaced = live && mergeOf(live, record.run - 1);
      if (!replaced) return;
      const kept = live.indexOf(replaced[0]);
      await merge(options, objects, { ...rest, archive: record, folder, replaced, kept, fence, check });
    }
  });
}

interface Merge extends Omit<Merging, 'archive' | 'signal'> {
  archive: ArchiveRecord;
  folder: string;
  replaced: [LakeManifest, ...LakeManifest[]];
  /** How many live manifests of earlier runs stay. */
  kept: number;
  fence: number;
  check: Turn['check'];
}

async function merge(
  { store, folder: temporary, fileBytes }: Pick<WriteRunOptions, 'store' | 'folder' | 'fileBytes'>,
  objects: ObjectStore,
  { job, archive, read, folder, replaced, kept, fence, check }: Merge,
): Promise<void> {
  const number = (archive.merges ?? 0) + 1;
  // Those of a worker that died, or of before a restore, must never count.
  for await (const { name } of objects.list(mergedFolder(folder)))
    if (numberIn(name) >= number) await objects.remove(name);
  const plan = await planMerge(store, archive, replaced);
  const [first] = replaced;
  const last = replaced.at(-1) as LakeManifest;
  const named = { run: last.run, merge: number };
  const turn = { check, giveWay: async () => undefined };
  const keepShape = async () => true;
  const formats = await openFormats(store, job, plan, { archive, read, keepShape, turn });
  const files: ArchivedFile[] = [];

  async function record(file: OpenFile): Promise<void> {
    const place = { folder, extension: archive.format, prefix: `entries/${stemOf(named)}-`, fence };
    files.push(await storeFile(objects, file, place));
  }

  await writeFiles(readRun(read, plan, { after: startOf(plan) }), {
    ...formats,
    store: record,
    limits: { folder: temporary, fileBytes, isOfDay: false },
    turn,
  });
  // Where no file is older, a list has nothing to say.
  const removed = kept === 0 ? [] : removedBy(replaced, { store: objects, folder, temporary });
  const place = { folder, stem: `_deleted/${stemOf(named)}`, temporary, fence };
  const deleted = await storeDeletedList(objects, removed, last.until, place, check);
  const manifest: LakeManifest = {
    ...named,
    replaces: first.replaces ?? first.run,
    domain: last.domain,
    format: archive.format,
    after: first.after,
    afterVersion: first.afterVersion,
    until: last.until,
    untilVersion: last.untilVersion,
    files,
    deleted,
    schemas: versionsUpTo(plan.version),
  };
  check();
  if (!(await objects.create(nameOf(folder, manifest), whole(manifestBytes(manifest)))))
    throw new LeaseLost();
  const end = { merge: number, fence, replaced: replaced.length };
  if (!(await store.askedArchives.endMerge(archive, end))) throw new LeaseLost();
}

/** What the runs have added, in one. */
async function planMerge(
  store: Pick<Store, 'applications' | 'fields' | 'schemas'>,
  { application, format }: Pick<ArchiveRecord, 'application' | 'format'>,
  replaced: [LakeManifest, ...LakeManifest[]],
): Promise<ArchivePlan> {
  const { after, afterVersion = 0 } = replaced[0];
  const { until, untilVersion = 0 } = replaced.at(-1) as LakeManifest;
  const oldest = replaced.flatMap(({ files }) => files.map((file) => file.first)).toSorted()[0];
  return {
    before: { ...(after !== undefined && { until: after }), announced: afterVersion },
    covers: { ...(until !== undefined && { until }), announced: untilVersion },
    ...(oldest !== undefined && { lateSince: timeOfId(oldest) }),
    ...(await columnsNow(store, application, format)),
  };
}

/** The entries that the runs list as deleted. */
async function* removedBy(replaced: LakeManifest[], place: Parameters<typeof fetchList>[0]) {
  for (const { deleted } of replaced) {
    const bytes = deleted && (await fetchList(place, deleted));
    if (deleted && !bytes) throw new JobFailed(`${place.folder}/${deleted.name} is missing`);
    if (bytes) for await (const id of readDeletedIds(bytes)) yield { id, at: new Date(0) };
  }
}
