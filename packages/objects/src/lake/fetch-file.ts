import type { ObjectStore } from '../object-store.ts';
import { openSpool, type Spool } from '../spool.ts';
import { type LakeContent, LakeFault, type LakeFile, type LakeManifest, readManifest } from './manifest.ts';

/** A folder of an application, and where temporary files go. */
export interface LakePlace {
  store: Pick<ObjectStore, 'list' | 'read'>;
  /** Of the application, in the store. */
  folder: string;
  /** Of this machine. */
  temporary: string;
}

/** A copy of an object. Undefined: it is not there. */
async function copy({ store, folder, temporary }: LakePlace, name: string): Promise<Spool | undefined> {
  const pieces = await store.read(`${folder}/${name}`);
  if (!pieces) return undefined;
  const spool = await openSpool(temporary);
  try {
    for await (const piece of pieces) await spool.write(piece);
    return spool;
  } catch (error) {
    await spool.close();
    throw error;
  }
}

/**
 * A copy of a file, for the caller to close. Undefined: compaction has removed it, as all its entries were deleted. Compaction may replace
 * it meanwhile. Throws LakeFault if the file is not as its manifest says.
 */
export async function fetchFile(place: LakePlace, run: number, file: LakeFile): Promise<Spool | undefined> {
  const spool = await copy(place, file.name);
  if (spool?.sha256() === file.sha256) return spool;
  const manifest = await readManifest(place.store, place.folder, run);
  const now = manifest?.files.find(({ name }) => name === file.name);
  const isNow = ({ sha256 }: Pick<LakeContent, 'sha256'>) => sha256 === spool?.sha256();
  if (spool && now && (isNow(now) || (now.next && isNow(now.next)))) return spool;
  await spool?.close();
  const isRemoved = !spool && manifest && (!now || now.next?.entries === 0);
  if (isRemoved) return undefined;
  const what = spool ? 'is not as its manifest says' : 'is missing';
  throw new LakeFault(`${place.folder}/${file.name} ${what}`);
}

/** The bytes of a list of deleted entries. Undefined: compaction has removed it. Throws LakeFault if it is not as its manifest says. */
export async function fetchList(
  place: LakePlace,
  { name, sha256 }: NonNullable<LakeManifest['deleted']>,
): Promise<Buffer | undefined> {
  const spool = await copy(place, name);
  if (!spool) return undefined;
  try {
    if (spool.sha256() !== sha256) throw new LakeFault(`${place.folder}/${name} is not as its manifest says`);
    return Buffer.concat(await Array.fromAsync(spool.pieces()));
  } finally {
    await spool.close();
  }
}
