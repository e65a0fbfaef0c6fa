import { basename } from 'node:path/posix';
import type { ObjectStore } from '../object-store.ts';
import { type LakeManifest, manifestName, readAllNamed, runName } from './manifest.ts';

/**
 * Archives for questions merge what many runs have. A merge has a number and a manifest of its own: its entries take the place of those
 * of the runs from `replaces` to `run`. Any two merges are apart, or one has all runs of the other.
 */
export interface EndedRuns {
  /** Runs below this one have ended, and merges up to this one. */
  run: number;
  merges?: number | undefined;
}

export const mergedFolder = (folder: string): string => `${folder}/_merged/`;

export const nameOf = (folder: string, { run, merge }: Pick<LakeManifest, 'run' | 'merge'>): string =>
  merge === undefined ? manifestName(folder, run) : `${mergedFolder(folder)}${runName(merge)}.json`;

export const numberIn = (name: string): number => Number(basename(name, '.json'));

export const firstOf = ({ run, replaces = run }: Pick<LakeManifest, 'run' | 'replaces'>): number => replaces;

/** The manifests of ended runs and merges. `known`: those that were read before, by name. Throws LakeFault. */
export async function readEnded(
  store: Pick<ObjectStore, 'list' | 'read'>,
  folder: string,
  { run, merges = 0 }: EndedRuns,
  known = new Map<string, LakeManifest>(),
): Promise<LakeManifest[]> {
  const names: string[] = [];
  for await (const { name } of store.list(`${folder}/_manifests/`))
    if (numberIn(name) < run) names.push(name);
  for await (const { name } of store.list(mergedFolder(folder)))
    if (numberIn(name) <= merges) names.push(name);
  // Another caller may change `known` meanwhile.
  const found = new Map(names.map((name) => [name, known.get(name)]));
  const missing = names.filter((name) => !found.get(name));
  for (const [at, manifest] of (await readAllNamed(store, missing)).entries())
    found.set(missing[at] as string, manifest);
  known.clear();
  for (const [name, manifest] of found) if (manifest) known.set(name, manifest);
  return [...known.values()];
}

/** Those that no merge replaces, in the order of runs. */
export function liveManifests(ended: LakeManifest[]): LakeManifest[] {
  let first = Number.POSITIVE_INFINITY;
  return ended
    .toSorted((a, b) => b.run - a.run || firstOf(a) - firstOf(b))
    .filter((manifest) => {
      if (manifest.run >= first) return false;
      first = firstOf(manifest);
      return true;
    })
    .toReversed();
}

/** What has each entry once. Undefined where the archive has others: someone emptied the folder, or restored it or the database. */
export async function readLive(
  store: Pick<ObjectStore, 'list' | 'read'>,
  folder: string,
  { manifests, lastManifest, ...ended }: EndedRuns & { manifests: number; lastManifest?: number },
  known?: Map<string, LakeManifest>,
): Promise<LakeManifest[] | undefined> {
  const live = liveManifests(await readEnded(store, folder, ended, known));
  return live.length === manifests && live.at(-1)?.run === lastManifest ? live : undefined;
}
