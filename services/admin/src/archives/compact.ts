import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '@sluice/jobs/connect.ts';
import {
  LakeFault,
  type LakeFile,
  type LakeManifest,
  noneDeletedName,
  readManifestsBelow,
  replaceManifest,
} from '@sluice/objects/lake/manifest.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { sha256Of } from '@sluice/objects/pieces.ts';
import { quoted } from '@sluice/shared/sql-text.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import { addDeleted, download, inWorkFolder, type LakeWork } from './in-work-folder.ts';
import { rewriteFile } from './rewrite-file.ts';

const dayMs = 86_400_000;

export interface Compacted {
  /** Entries that were taken out of files. */
  entries: number;
  rewritten: number;
  removed: number;
  /** Files that no manifest named. */
  orphans: number;
  /** By which the files became less. */
  bytes: number;
}

/**
 * Takes deleted entries out of the files of an archive. A manifest first names what takes the place of a file, so that
 * the next one can finish what a killed one began. Throws LakeFault.
 */
export async function compact(
  { archives, jobs }: Pick<Store, 'archives' | 'jobs'>,
  objects: ObjectStore,
  archive: Pick<ArchiveRecord, 'application' | 'id'>,
  domain: string,
): Promise<Compacted> {
  const { application, id } = archive;
  const run = (await archives.get(application, id))?.run ?? 1;
  // A run under way may still put files into its manifest that no manifest names yet.
  const isRunning = (await jobs.archives.runs(application, id, 1))[0]?.options.run === run;
  // Of a later run, the list of deleted entries may be there without the files.
  const manifests = await readManifestsBelow(objects, domain, run);
  const result = { entries: 0, rewritten: 0, removed: 0, orphans: 0, bytes: 0 };
  await inWorkFolder(objects, domain, (work) => compactFiles({ ...work, result }, manifests));
  for (const manifest of manifests.filter(({ deleted }) => deleted)) {
    const { name, bytes } = manifest.deleted as NonNullable<LakeManifest['deleted']>;
    manifest.deleted = undefined;
    await replaceManifest(objects, domain, manifest);
    await objects.remove(`${domain}/${name}`);
    result.bytes += bytes;
  }
  if (!isRunning) await removeOrphans(objects, domain, manifests, result);
  return result;
}

interface Work extends LakeWork {
  result: Compacted;
}

async function compactFiles(work: Work, manifests: LakeManifest[]): Promise<void> {
  for (const manifest of manifests) await addDeleted(work, manifest);
  for (const manifest of manifests)
    for (const file of [...manifest.files]) {
      if (file.next) await settle(work, manifest, file);
      await compactFile(work, manifest, file);
    }
}

/** Finishes the replacement of a file that a killed compaction began. */
async function settle({ objects, domain }: Work, manifest: LakeManifest, file: LakeFile): Promise<void> {
  const { next, sha256 } = file;
  const pieces = await objects.read(`${domain}/${file.name}`);
  const found = pieces && (await sha256Of(pieces));
  file.next = undefined;
  if (next && found === (next.entries === 0 ? undefined : next.sha256)) put(manifest, file, next);
  else if (found !== sha256) throw new LakeFault(`${domain}/${file.name} is not as its manifest says`);
  await replaceManifest(objects, domain, manifest);
}

async function compactFile(work: Work, manifest: LakeManifest, file: LakeFile): Promise<void> {
  const { duck, objects, domain, folder, result } = work;
  if (!manifest.files.includes(file)) return;
  const { first, last } = file;
  const [touched] = await duck.rows(
    `SELECT 1 FROM deleted WHERE id BETWEEN ${quoted(first)} AND ${quoted(last)} LIMIT 1`,
  );
  if (!touched) return;
  const to = join(folder, 'to');
  const next = await rewriteFile(duck, manifest.format, file, { from: await download(work, file), to });
  if (!next) return;
  result.entries += file.entries - next.entries;
  result.bytes += file.bytes - (next.entries === 0 ? 0 : next.bytes);
  file.next = next;
  await replaceManifest(objects, domain, manifest);
  if (next.entries === 0) {
    await objects.remove(`${domain}/${file.name}`);
    result.removed += 1;
  } else {
    await objects.replace(`${domain}/${file.name}`, createReadStream(to));
    result.rewritten += 1;
  }
  put(manifest, file, next);
  await replaceManifest(objects, domain, manifest);
}

/** Notes what has taken the place of a file. */
function put(manifest: LakeManifest, file: LakeFile, next: NonNullable<LakeFile['next']>): void {
  manifest.removed = (manifest.removed ?? 0) + file.entries - next.entries;
  file.next = undefined;
  Object.assign(file, next);
  if (next.entries === 0) manifest.files = manifest.files.filter((other) => other !== file);
}

/** Removes old files that no manifest names: killed workers leave some. */
async function removeOrphans(
  objects: ObjectStore,
  domain: string,
  manifests: LakeManifest[],
  result: Compacted,
): Promise<void> {
  const named = new Set([
    noneDeletedName,
    ...manifests.flatMap(({ files, deleted }) =>
      [...files, ...(deleted ? [deleted] : [])].map(({ name }) => name),
    ),
  ]);
  for (const prefix of ['date=', '_deleted/'])
    for await (const { name, bytes, modifiedAt } of objects.list(`${domain}/${prefix}`)) {
      if (named.has(name.slice(domain.length + 1)) || Date.now() - modifiedAt.getTime() < dayMs) continue;
      await objects.remove(name);
      result.orphans += 1;
      result.bytes += bytes;
    }
}
