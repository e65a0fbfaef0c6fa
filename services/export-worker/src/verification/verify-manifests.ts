import type { Store } from '@sluice/jobs/connect.ts';
import {
  countFault,
  LakeFault,
  type LakeManifest,
  manifestName,
  readManifestsBelow,
} from '@sluice/objects/lake/manifest.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';

/** The manifests of the finished runs, which follow each other, name each file once, and have all entries that the archive counts. Throws LakeFault. */
export async function readChain(
  objects: ObjectStore,
  domain: string,
  archive: Pick<ArchiveRecord, 'covers' | 'entries' | 'manifests' | 'run'>,
): Promise<LakeManifest[]> {
  const manifests = await readManifestsBelow(objects, domain, archive.run);
  const fault = countFault(domain, manifests.length, archive.manifests);
  if (fault) throw new LakeFault(fault);
  let until = '';
  for (const manifest of manifests) {
    const { run, after = '' } = manifest;
    // A run of which nothing is left has no manifest, but the next one begins behind it.
    if (after < until)
      throw new LakeFault(
        `${manifestName(domain, run)} begins after ${after}, and the manifest before it ends only at ${until}`,
      );
    until = manifest.until ?? after;
  }
  if (until > (archive.covers.until ?? ''))
    throw new LakeFault(
      `${manifestName(domain, manifests.at(-1)?.run ?? 0)} ends at ${until}, which no run of this archive has reached`,
    );
  checkDoubled(domain, manifests);
  const entries = manifests.reduce(
    (sum, { files, removed = 0 }) => files.reduce((all, file) => all + file.entries, sum + removed),
    0,
  );
  if (entries !== archive.entries)
    throw new LakeFault(
      `${domain}/_manifests has ${entries} entries, and the runs stored ${archive.entries}: manifests were changed`,
    );
  return manifests;
}

function checkDoubled(domain: string, manifests: LakeManifest[]): void {
  const names = new Set<string>();
  const hashes = new Map<string, string>();
  for (const { name, sha256 } of manifests.flatMap(({ files }) => files)) {
    if (names.has(name)) throw new LakeFault(`${domain}/${name} is there twice in the manifests`);
    const other = hashes.get(sha256);
    if (other !== undefined)
      throw new LakeFault(`${domain}/${name} has the entries of ${domain}/${other} once more`);
    names.add(name);
    hashes.set(sha256, name);
  }
}

/** Finds files that no manifest names. Throws LakeFault. */
export async function verifyNames(
  { archives, jobs }: Pick<Store, 'archives' | 'jobs'>,
  objects: Pick<ObjectStore, 'list'>,
  domain: string,
  { application, id, run }: Pick<ArchiveRecord, 'application' | 'id' | 'run'>,
  manifests: LakeManifest[],
): Promise<void> {
  const names = new Set(manifests.flatMap(({ files }) => files.map((file) => file.name)));
  for await (const { name } of objects.list(`${domain}/date=`)) {
    if (names.has(name.slice(domain.length + 1))) continue;
    // A run under way has files that no manifest names yet.
    const isIdle = !(await jobs.archives.ofRun({ archive: id, run }));
    if (!isIdle || (await archives.get(application, id))?.run !== run) return;
    throw new LakeFault(
      `${name} is in no manifest, so its entries may be there twice: move it away, or let the operator compact the archive`,
    );
  }
}
