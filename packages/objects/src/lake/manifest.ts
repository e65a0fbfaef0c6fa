import { text } from 'node:stream/consumers';
import { parseJson } from '@sluice/json/parse-json.ts';
import type { ObjectStore } from '../object-store.ts';
import { whole } from '../pieces.ts';

/** What a file holds. `sha256`: in hexadecimal digits. */
export interface LakeContent {
  entries: number;
  bytes: number;
  sha256: string;
}

/** `first` and `last`: ids of its entries, which are in this order. */
export interface LakeFile extends LakeContent {
  /** Below the folder of the application. */
  name: string;
  first: string;
  last: string;
  /** What compaction is about to put in place of the file; it is removed where no entry is left. */
  next?: (LakeContent & { first: string; last: string }) | undefined;
}

/** What a run of an archive has stored. */
export interface LakeManifest {
  run: number;
  domain: string;
  format: 'parquet' | 'ndjson' | 'csv';
  after?: string | undefined;
  /** As `after` and `until`, of versions of announcements. Of archives for questions. */
  afterVersion?: number | undefined;
  untilVersion?: number | undefined;
  /** Of a merge, see live-manifests.ts: its number, and the first of the runs up to `run` whose entries it has. */
  merge?: number | undefined;
  replaces?: number | undefined;
  until?: string | undefined;
  files: LakeFile[];
  deleted?: (LakeContent & { name: string }) | undefined;
  schemas: number[];
  /** Entries that compaction took out of the files. */
  removed?: number | undefined;
}

/** An object differs from what archives store. The message names the object. */
export class LakeFault extends Error {
  override name = 'LakeFault';
}

/** Each read from a bucket is a round trip. */
const readAtOnce = 16;

/** Reads manifests by name. Undefined: there is none. Throws LakeFault. */
export async function readAllNamed(
  store: Pick<ObjectStore, 'read'>,
  names: string[],
): Promise<(LakeManifest | undefined)[]> {
  const manifests: (LakeManifest | undefined)[] = [];
  for (let at = 0; at < names.length; at += readAtOnce)
    manifests.push(
      ...(await Promise.all(names.slice(at, at + readAtOnce).map((name) => readNamed(store, name)))),
    );
  return manifests;
}

/** In a folder of an application, by number of run. Throws LakeFault. */
export async function readManifests(
  store: Pick<ObjectStore, 'list' | 'read'>,
  folder: string,
): Promise<LakeManifest[]> {
  const names = (await Array.fromAsync(store.list(`${folder}/_manifests/`))).map(({ name }) => name);
  const manifests = await readAllNamed(store, names);
  return manifests.filter((manifest) => manifest !== undefined).toSorted((a, b) => a.run - b.run);
}

/** Of the runs below one: those that have ended. Throws LakeFault. */
export const readManifestsBelow = async (
  store: Pick<ObjectStore, 'list' | 'read'>,
  folder: string,
  run: number,
): Promise<LakeManifest[]> => (await readManifests(store, folder)).filter((manifest) => manifest.run < run);

/** What is wrong with the number of manifests; undefined: nothing. */
export const countFault = (folder: string, found: number, stored: number): string | undefined =>
  found === stored ? undefined : `${folder} has ${found} manifests, and the runs have stored ${stored}`;

/** Undefined where the run has none. Throws LakeFault. */
export const readManifest = (
  store: Pick<ObjectStore, 'read'>,
  folder: string,
  run: number,
): Promise<LakeManifest | undefined> => readNamed(store, manifestName(folder, run));

async function readNamed(store: Pick<ObjectStore, 'read'>, name: string): Promise<LakeManifest | undefined> {
  const pieces = await store.read(name);
  return pieces && parseManifest(name, await text(pieces));
}

export async function replaceManifest(
  store: Pick<ObjectStore, 'replace'>,
  folder: string,
  manifest: LakeManifest,
): Promise<void> {
  await store.replace(manifestName(folder, manifest.run), whole(manifestBytes(manifest)));
}

/** The number of a run in names, which then sort by it. */
export const runName = (run: number): string => String(run).padStart(6, '0');

/** A list without rows, which no manifest names: it is there from the first run on. */
export const noneDeletedName = `_deleted/${runName(0)}.parquet`;

export const manifestName = (folder: string, run: number): string =>
  `${folder}/_manifests/${runName(run)}.json`;

export const manifestBytes = (manifest: LakeManifest): Buffer => Buffer.from(`${JSON.stringify(manifest)}\n`);

function parseManifest(name: string, json: string): LakeManifest {
  const manifest = (() => {
    try {
      return parseJson(json);
    } catch {
      return undefined;
    }
  })();
  if (isManifest(manifest)) return manifest;
  throw new LakeFault(`${name} is not a manifest as archives write them`);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const isContent = (value: unknown): boolean => {
  const { entries, bytes, sha256 } = (value ?? {}) as Partial<LakeContent>;
  return isCount(entries) && isCount(bytes) && /^[0-9a-f]{64}$/.test(String(sha256));
};

/** A name leads to nothing outside the folder. */
const isName = (value: unknown): boolean =>
  isText(value) && !value.split('/').some((part) => part === '' || part === '.' || part === '..');

const isFile = (value: unknown): boolean => {
  const { name, first, last, next } = (value ?? {}) as Partial<LakeFile>;
  return (
    isContent(value) &&
    isName(name) &&
    isText(first) &&
    isText(last) &&
    (next === undefined || isContent(next))
  );
};

function isManifest(value: unknown): value is LakeManifest {
  const { run, domain, format, files, deleted, schemas, ...rest } = (value ?? {}) as Partial<LakeManifest>;
  const { removed, afterVersion, untilVersion, merge, replaces } = rest;
  return (
    isCount(run) &&
    isText(domain) &&
    ['parquet', 'ndjson', 'csv'].includes(String(format)) &&
    Array.isArray(files) &&
    files.every(isFile) &&
    (deleted === undefined || (isContent(deleted) && isName(deleted.name))) &&
    Array.isArray(schemas) &&
    schemas.every(isCount) &&
    [removed, afterVersion, untilVersion, merge, replaces].every(
      (count) => count === undefined || isCount(count),
    )
  );
}
