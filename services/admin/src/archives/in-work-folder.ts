import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { LakeFault, type LakeFile, type LakeManifest } from '@sluice/objects/lake/manifest.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { quoted } from '@sluice/shared/sql-text.ts';
import { contentOf } from './local-file.ts';
import { type Duck, openDuck } from './open-duck.ts';

/** `folder`: for temporary files, of which `from` is a copy of an object. */
export interface LakeWork {
  /** Has a table `deleted` for ids. */
  duck: Duck;
  objects: ObjectStore;
  domain: string;
  folder: string;
}

/** Works on the files of an application with a folder that is removed afterwards. */
export async function inWorkFolder<Result>(
  objects: ObjectStore,
  domain: string,
  work: (work: LakeWork) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-lake-'));
  try {
    const duck = await openDuck(folder);
    await duck.run('CREATE TABLE deleted (id VARCHAR)');
    return await work({ duck, objects, domain, folder }).finally(duck.close);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies what a manifest names to this machine. Throws LakeFault if it is not as the manifest says. */
export async function download(
  { objects, domain, folder }: LakeWork,
  { name, sha256 }: Pick<LakeFile, 'name' | 'sha256'>,
): Promise<string> {
  const pieces = await objects.read(`${domain}/${name}`);
  if (!pieces) throw new LakeFault(`${domain}/${name} is missing`);
  const path = join(folder, 'from');
  await pipeline(pieces, createWriteStream(path));
  if ((await contentOf(path)).sha256 !== sha256)
    throw new LakeFault(`${domain}/${name} is not as its manifest says`);
  return path;
}

/** Adds the ids of a list to the table `deleted`. Throws LakeFault. */
export async function addDeleted(work: LakeWork, { deleted }: Pick<LakeManifest, 'deleted'>): Promise<void> {
  if (!deleted) return;
  const path = await download(work, deleted);
  await work.duck.run(`INSERT INTO deleted SELECT id FROM read_parquet(${quoted(path)})`);
}
