import {
  firstOf,
  liveManifests,
  mergedFolder,
  nameOf,
  readEnded,
} from '@sluice/objects/lake/live-manifests.ts';
import { type LakeManifest, runName } from '@sluice/objects/lake/manifest.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';

/** Merges have the runs 1 to 8, 9 to 16 and so on, then 1 to 64, and so on. */
const base = 8;
const usualLimits = { entries: 1_000_000, bytes: 256 * 1024 ** 2 };
/** A question under way may read files that are replaced. */
const readMs = 5 * 60_000;

/** Only then there may be a new merge. */
export const isMergeDue = (ended: number): boolean => ended % base === 0;

/** What the next merge replaces, of manifests in the order of runs. Undefined: nothing. */
export function mergeOf(
  live: LakeManifest[],
  ended: number,
  limits = usualLimits,
): [LakeManifest, ...LakeManifest[]] | undefined {
  let found: LakeManifest[] | undefined;
  for (let size = base; size <= ended; size *= base) {
    const inBlock = Map.groupBy(live, ({ run }) => Math.ceil(run / size));
    const isDue = ([block, runs]: [number, LakeManifest[]]) =>
      block * size <= ended &&
      runs.length > 1 &&
      runs.every(({ untilVersion }) => untilVersion !== undefined) &&
      sumOf(runs, 'entries') <= limits.entries &&
      sumOf(runs, 'bytes') <= limits.bytes;
    found = [...inBlock].find(isDue)?.[1] ?? found;
  }
  return found as [LakeManifest, ...LakeManifest[]] | undefined;
}

const sumOf = (manifests: LakeManifest[], what: 'entries' | 'bytes'): number =>
  manifests.flatMap(({ files }) => files).reduce((sum, file) => sum + file[what], 0);

/** The start of the names of the files of a run, or a merge. */
export const stemOf = ({ run, merge }: Pick<LakeManifest, 'run' | 'merge'>): string =>
  merge === undefined ? runName(run) : `m${runName(merge)}`;

type Objects = Pick<ObjectStore, 'list' | 'read' | 'remove'>;

/** Removes what was replaced some minutes ago. Only one process at a time. */
export async function removeReplaced(
  objects: Objects,
  folder: string,
  ended: Parameters<typeof readEnded>[2],
): Promise<void> {
  const manifests = await readEnded(objects, folder, ended);
  const live = new Set(liveManifests(manifests));
  if (live.size === manifests.length) return;
  const old = new Set<string>();
  for await (const { name, modifiedAt } of objects.list(mergedFolder(folder)))
    if (modifiedAt.getTime() < Date.now() - readMs) old.add(name);
  const merges = manifests.filter((manifest) => old.has(nameOf(folder, manifest)));
  for (const manifest of manifests) {
    const isOf = (merge: LakeManifest) =>
      merge !== manifest && firstOf(merge) <= firstOf(manifest) && merge.run >= manifest.run;
    if (live.has(manifest) || !merges.some(isOf)) continue;
    const stem = stemOf(manifest);
    await removeAll(objects, `${folder}/entries/${stem}-`);
    await removeAll(objects, `${folder}/_deleted/${stem}`);
    // Last: a worker that dies before leaves it to the next.
    await objects.remove(nameOf(folder, manifest));
  }
}

export async function removeAll(objects: Pick<Objects, 'list' | 'remove'>, prefix: string): Promise<void> {
  for await (const { name } of objects.list(prefix)) await objects.remove(name);
}
