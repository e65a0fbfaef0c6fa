import type { Store } from '@sluice/jobs/connect.ts';
import { ApplicationDeleted, JobFailed } from '@sluice/jobs/kind.ts';
import { type LakeManifest, manifestBytes, manifestName } from '@sluice/objects/lake/manifest.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { sha256Of, whole } from '@sluice/objects/pieces.ts';
import { isThere } from './create-object.ts';

/** `isOnly`: old entries are in the archive alone. */
const refuse = (folder: string, run: number, isOnly: boolean) => {
  const name = manifestName(folder, run);
  return new JobFailed(
    isOnly
      ? `${name} is there already, from before a restore: move away this manifest and those of later runs, with the files that they name, and leave all others, as old entries are there alone`
      : `${name} is there already, from another archive or from before a restore: move away what is in ${folder}, delete this archive, and make it anew`,
  );
};

/** Throws JobFailed if the run has a manifest before it began: what is there is not what this archive has stored. */
export async function refuseForeign(
  store: Pick<ObjectStore, 'read'>,
  folder: string,
  { run, isOnly }: { run: number; isOnly: boolean },
): Promise<void> {
  const pieces = await store.read(manifestName(folder, run));
  if (!pieces) return;
  for await (const _ of pieces) break;
  throw refuse(folder, run, isOnly);
}

/** Stores the manifest of a run, which the run has from then on. */
export async function createManifest(
  store: Pick<ObjectStore, 'create' | 'read'>,
  folder: string,
  manifest: LakeManifest,
  isOnly: boolean,
): Promise<void> {
  const name = manifestName(folder, manifest.run);
  const bytes = manifestBytes(manifest);
  if (await store.create(name, whole(bytes))) return;
  if (await isThere(store, name, await sha256Of(whole(bytes)))) return;
  throw refuse(folder, manifest.run, isOnly);
}

/** Stores the versions of the schema that are not there yet. */
export async function createSchemas(
  { applications, schemas }: Pick<Store, 'applications' | 'schemas'>,
  store: Pick<ObjectStore, 'create' | 'list'>,
  folder: string,
  { application, version: newest }: { application: string; version: number },
): Promise<void> {
  const there = new Set<string>();
  for await (const { name } of store.list(`${folder}/_schema/`)) there.add(name);
  const schemaName = (version: number) => `${folder}/_schema/${version}.json`;
  if (versionsUpTo(newest).every((version) => there.has(schemaName(version)))) return;
  const record = await applications.byId(application);
  if (!record) throw new ApplicationDeleted();
  for await (const { version, rawSchema } of schemas.list(record))
    if (version <= newest && !there.has(schemaName(version)))
      await store.create(schemaName(version), whole(Buffer.from(rawSchema)));
}

export const versionsUpTo = (newest: number): number[] =>
  Array.from({ length: newest }, (_, before) => before + 1);
