import type { ArchivePlan } from '@sluice/jobs/record/archive-record.ts';
import {
  type LakeManifest,
  liveManifests,
  manifestName,
  readLive,
  readManifest,
  readManifestsBelow,
  runName,
} from '@sluice/objects/lake/manifest.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import { type EntryId, timeOfId } from '@sluice/store/entries/entry-id.ts';

/** Every eighth run merges the last 8, every 64th the last 64, and so on. */
const base = 8;
/** A question waits for a run, so no run merges more entries. */
const mostEntries = 1_000_000;
/** A question under way may read files that are replaced. */
const readMs = 5 * 60_000;

/** As `readLive`, before a run: undefined also where the run has a manifest before it has begun. */
export async function manifestsOf(
  objects: Pick<ObjectStore, 'list' | 'read'>,
  folder: string,
  archive: Pick<ArchiveRecord, 'run' | 'manifests'>,
  hasBegun: boolean,
): Promise<LakeManifest[] | undefined> {
  const isForeign = !hasBegun && (await readManifest(objects, folder, archive.run)) !== undefined;
  return isForeign ? undefined : readLive(objects, folder, archive);
}

/** What a run for questions archives again, so that files and manifests stay few. */
export interface Merge {
  replaces: number;
  before: ArchivePlan['before'];
  /** The time of the oldest entry that is archived again. */
  since: Date | undefined;
}

/** Undefined: the run archives only what came since the run before. */
export function mergeOf(live: LakeManifest[], run: number, most = mostEntries): Merge | undefined {
  let found: Merge | undefined;
  for (let size = base; run % size === 0; size *= base) {
    const replaced = replacedBy(live, run - size + 1);
    const [first] = replaced;
    if (replaced.length < 2 || first?.announced === undefined) continue;
    if (sumOf(replaced, 'entries') > most) break;
    const files = replaced.flatMap((manifest) => manifest.files);
    const oldest = files.map((file) => file.first).toSorted()[0] as EntryId | undefined;
    found = {
      replaces: first.run,
      before: { announced: first.announced, ...(first.after !== undefined && { until: first.after }) },
      since: oldest === undefined ? undefined : timeOfId(oldest),
    };
  }
  return found;
}

export const replacedBy = (live: LakeManifest[], first: number): LakeManifest[] =>
  live.filter((manifest) => manifest.run >= first);

export const sumOf = (manifests: LakeManifest[], what: 'entries' | 'bytes'): number =>
  manifests.flatMap(({ files }) => files).reduce((sum, file) => sum + file[what], 0);

/** The start of the names of a run's files. */
export const stemOf = (run: number): string => `entries/${runName(run)}-`;

/** Removes what was replaced some minutes ago. `run`: all below have ended. */
export async function removeReplaced(
  objects: Pick<ObjectStore, 'list' | 'read' | 'remove'>,
  folder: string,
  run: number,
): Promise<void> {
  const manifests = await readManifestsBelow(objects, folder, run);
  const live = new Set(liveManifests(manifests));
  if (live.size === manifests.length) return;
  const minutesAgo = new Date(Date.now() - readMs);
  const madeAt = new Map<string, Date>();
  for await (const { name, modifiedAt } of objects.list(`${folder}/_manifests/`))
    madeAt.set(name, modifiedAt);
  for (const manifest of manifests) {
    if (live.has(manifest)) continue;
    const by = manifests.find(
      (later) => manifest.run < later.run && manifest.run >= (later.replaces ?? later.run),
    );
    const name = manifestName(folder, manifest.run);
    const at = by && madeAt.get(manifestName(folder, by.run));
    if (!at || at > minutesAgo) continue;
    for (const prefix of [`${folder}/${stemOf(manifest.run)}`, `${folder}/_deleted/${runName(manifest.run)}`])
      for await (const found of objects.list(prefix)) await objects.remove(found.name);
    // Last: a worker that dies before leaves it to the next.
    await objects.remove(name);
  }
}
