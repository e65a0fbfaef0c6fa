import { createHash } from 'node:crypto';
import type { Turn } from '@sluice/jobs/kind.ts';
import { LakeFault, type LakeFile, type LakeManifest, readManifest } from '@sluice/objects/lake/manifest.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';

type Named = Pick<LakeFile, 'name' | 'bytes' | 'sha256'>;

interface Progress {
  /** The last file that was read before. */
  after: string | undefined;
  turn: Turn;
  /** Notes the last file that was read, and the entries up to it. */
  goOn(after: string, entries: number): Promise<void>;
}

/** Reads each file that a manifest names, whole, as a stream. Throws LakeFault. */
export async function verifyFiles(
  objects: ObjectStore,
  domain: string,
  manifests: LakeManifest[],
  { after, turn, goOn }: Progress,
): Promise<{ files: number; bytes: number }> {
  const all = manifests.flatMap(({ run, files, deleted }) => [
    ...files.map((file) => ({ run, file, entries: file.entries })),
    ...(deleted ? [{ run, file: deleted, entries: 0 }] : []),
  ]);
  const from = all.findIndex(({ file }) => file.name === after) + 1;
  let done = all.slice(0, from).reduce((sum, { entries }) => sum + entries, 0);
  for (const { run, file, entries } of all.slice(from)) {
    let fault = await faultOf(objects, domain, file, turn);
    for (let last: Named = file; fault !== undefined; ) {
      const now = await named(objects, domain, run, file.name);
      // Meanwhile a compaction has removed the file, or is about to replace it, or has replaced it.
      if (!now) fault = undefined;
      else if (now.sha256 === last.sha256) throw new LakeFault(fault);
      else {
        last = now;
        fault = await faultOf(objects, domain, now, turn);
      }
    }
    done += entries;
    await goOn(file.name, done);
    await turn.giveWay();
  }
  const files = manifests.flatMap((manifest) => manifest.files);
  return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}

async function named(
  objects: ObjectStore,
  domain: string,
  run: number,
  name: string,
): Promise<Named | undefined> {
  const manifest = await readManifest(objects, domain, run);
  const file = manifest?.files.find((each) => each.name === name);
  if (file) return file.next ? { ...file, ...file.next } : file;
  return manifest?.deleted?.name === name ? manifest.deleted : undefined;
}

/** What is wrong with an object, in one sentence. */
async function faultOf(
  objects: Pick<ObjectStore, 'read'>,
  domain: string,
  { name, bytes, sha256 }: Named,
  { check }: Pick<Turn, 'check'>,
): Promise<string | undefined> {
  const place = `${domain}/${name}`;
  const pieces = await objects.read(place);
  if (!pieces) return `${place} is missing`;
  const hash = createHash('sha256');
  let found = 0;
  for await (const piece of pieces) {
    hash.update(piece);
    found += piece.length;
    check();
  }
  if (found < bytes) return `${place} was cut: it has ${found} bytes of ${bytes}`;
  if (found > bytes || hash.digest('hex') !== sha256)
    return `${place} was changed: its bytes are not those that the archive stored`;
  return undefined;
}
