import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LakeFault, type LakeFile } from '@sluice/objects/lake/manifest.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { writeLocal } from './local-file.ts';
import { type Duck, openDuck } from './open-duck.ts';

/** `folder`: for temporary files, of which `from` is a copy of an object. */
export interface LakeWork {
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
  const found = await writeLocal(path, pieces);
  if (found.sha256 !== sha256) throw new LakeFault(`${domain}/${name} is not as its manifest says`);
  return path;
}
