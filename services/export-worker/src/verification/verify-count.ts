import type { Store } from '@sluice/jobs/connect.ts';
import type { Turn } from '@sluice/jobs/kind.ts';
import { LakeFault, type LakeManifest, readManifests } from '@sluice/objects/lake/manifest.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import { readPages } from '../export/read-pages.ts';

/** Compares the entries of the files with the stored ones that the runs cover, in number. Returns their number. Throws LakeFault. */
export async function verifyCount(
  { applications, rawEntries, removals }: Pick<Store, 'applications' | 'rawEntries' | 'removals'>,
  objects: ObjectStore,
  domain: string,
  { application, covers, run }: Pick<ArchiveRecord, 'application' | 'covers' | 'run'>,
  manifests: LakeManifest[],
  { check }: Pick<Turn, 'check'>,
): Promise<number> {
  const { until, announced } = covers;
  // With `from: now`, older entries are in no file, unless an import brought them later.
  const after = manifests[0]?.after;
  let stored = 0;
  if (until !== undefined)
    for await (const { documents } of readPages(rawEntries, application, {
      after,
      until,
      announced,
      // No payload is needed, but its place.
      members: ['_'],
    })) {
      stored += documents.length;
      check();
    }
  let gone = 0;
  for await (const { id } of removals.between(application, announced, Number.MAX_SAFE_INTEGER)) {
    if (until !== undefined && id <= until) gone += 1;
    check();
  }
  const filed = manifests.reduce(
    (sum, { files }) => files.reduce((all, { entries }) => all + entries, sum),
    0,
  );
  const listed = listedIn(manifests);
  // What later runs have listed is forgotten in MongoDB.
  gone += listedIn((await readManifests(objects, domain)).filter((manifest) => manifest.run >= run));
  const is = (count: number) => count.toLocaleString('en');
  if (stored > filed)
    throw new LakeFault(
      `the files have ${is(filed)} entries, but ${is(stored)} are stored: some are in no file`,
    );
  // Old entries may be in the files alone.
  if (await applications.archived(application)) return filed - listed;
  // Lists can also have entries that came and went between two runs.
  if (after === undefined && filed - listed > stored + gone)
    throw new LakeFault(
      `the files have ${is(filed)} entries, of which ${is(listed)} are deleted, but only ${is(stored)} are stored`,
    );
  return stored;
}

const listedIn = (manifests: LakeManifest[]) =>
  manifests.reduce((sum, { deleted }) => sum + (deleted?.entries ?? 0), 0);
