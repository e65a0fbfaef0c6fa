import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JobFailed, type Turn } from '@sluice/jobs/kind.ts';
import { Postpone } from '@sluice/jobs/queue/consumer.ts';
import { folderStore } from '@sluice/objects/folder-store.ts';
import type { LakeManifest } from '@sluice/objects/lake/manifest.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { toKey } from '@sluice/store/entries/entry-id.ts';
import { expect, it } from 'vitest';
import { archiveRuns, ownTurn } from '../../../../test/support/archive-runs.ts';
import { manifestsIn } from '../../../../test/support/lake.ts';
import { compact } from '../../../admin/src/archives/compact.ts';
import { verificationKind } from './verification-kind.ts';

/** An archive whose first run has 1,000 entries in several files. */
async function archived() {
  const runs = await archiveRuns();
  const { store, application, domain, owner, root } = runs;
  const archive = await runs.create();
  await runs.insert(1_000);
  await runs.run(archive, { fileBytes: 16 * 1024 });

  const make = () =>
    store.jobs.create<'verification'>({
      kind: 'verification',
      application,
      owner: owner.id,
      domain,
      options: { archive: archive.id },
    });

  /** What one worker finds. Throws what it fails with. */
  async function verify(
    job?: Awaited<ReturnType<typeof make>>,
    { turn = ownTurn(), objects = folderStore(root) }: { turn?: Turn; objects?: ObjectStore } = {},
  ) {
    const kind = verificationKind({ store, openObjects: () => objects, leaseMs: 60_000 });
    const piece = await kind.next(job ?? (await make()));
    if (!piece) throw new Error('another worker has the job');
    const end = await piece.work(turn).finally(() => piece.release(false));
    return end?.result?.result;
  }

  function change(run: number, by: (manifest: LakeManifest) => object): void {
    const manifest = manifestsIn(runs.folder).find((each) => each.run === run) as LakeManifest;
    const path = join(runs.folder, `_manifests/00000${run}.json`);
    writeFileSync(path, JSON.stringify({ ...manifest, ...by(manifest) }));
  }
  return { ...runs, archive, make, verify, change };
}

it('goes on behind the last file that a worker has read', async () => {
  const { make, verify, root } = await archived();
  const job = await make();
  let turns = 0;
  const turn: Turn = {
    ...ownTurn(),
    async giveWay() {
      turns += 1;
      if (turns === 2) throw new Postpone();
    },
  };
  await expect(verify(job, { turn })).rejects.toThrow(Postpone);
  const read: string[] = [];
  const objects = folderStore(root);
  const watched: ObjectStore = {
    ...objects,
    read(name) {
      read.push(name);
      return objects.read(name);
    },
  };
  const { files } = (await verify(job, { objects: watched })) as { files: number };
  expect(read.filter((name) => name.includes('date='))).toHaveLength(files - 2);
});

it('finds deleted entries equal, also once they are taken out of the files, and while they are', async () => {
  const { store, application, domain, archive, root, verify, ...runs } = await archived();
  const ids = await runs.storedIds();
  for (const at of [0, 1, 500, 999]) await store.deletions.removeOne(application, ids[at] as string);
  expect(await verify()).toMatchObject({ entries: 996, equal: true });
  await runs.run(archive);
  expect(await verify()).toMatchObject({ entries: 996, equal: true });
  const objects = folderStore(root);
  let isCompacted = false;
  const meanwhile: ObjectStore = {
    ...objects,
    async read(name) {
      if (name.includes('date=') && !isCompacted) {
        isCompacted = true;
        await compact(store, objects, archive, domain);
      }
      return objects.read(name);
    },
  };
  expect(await verify(undefined, { objects: meanwhile })).toMatchObject({ entries: 996, equal: true });
  expect(isCompacted).toBe(true);
  expect(manifestsIn(runs.folder)[0]?.removed).toBe(4);
  expect(await verify()).toMatchObject({ entries: 996, equal: true });
});

it('finds files equal whose old entries are in the archive alone', async () => {
  const { store, application, db, archive, verify, storedIds } = await archived();
  const [oldest = ''] = await storedIds();
  await store.applications.update(application, { retentionArchive: archive.id });
  await db.collection('applications').updateOne({}, { $set: { archivedUntil: oldest } });
  await store.deletions.remove(application, { _id: toKey(application, oldest) }, { isMove: true });
  expect(await verify()).toMatchObject({ entries: 1_000, equal: true });
});

it('is not misled by a run that ends meanwhile', async () => {
  const { store, application, archive, root, verify, ...runs } = await archived();
  const [first] = await runs.storedIds();
  const objects = folderStore(root);
  let isRun = false;
  const meanwhile: ObjectStore = {
    ...objects,
    async read(name) {
      if (name.includes('date=') && !isRun) {
        isRun = true;
        await store.deletions.removeOne(application, first as string);
        await runs.insert(10);
        await runs.run(archive);
      }
      return objects.read(name);
    },
  };
  expect(await verify(undefined, { objects: meanwhile })).toMatchObject({ entries: 999, equal: true });
});

it.each<[string, (lake: Awaited<ReturnType<typeof archived>>) => unknown, RegExp]>([
  [
    'a file that is named twice',
    ({ change }) => change(1, ({ files }) => ({ files: [files[0], ...files.slice(0, -1)] })),
    /date=\S+ is there twice in the manifests$/,
  ],
  [
    'a copy in place of another file',
    ({ change, folder }) =>
      change(1, ({ files }) => {
        const [one, other] = files as [LakeManifest['files'][0], LakeManifest['files'][0]];
        copyFileSync(join(folder, one.name), join(folder, other.name));
        return { files: [one, { ...one, name: other.name }, ...files.slice(2)] };
      }),
    /has the entries of \S+date=\S+ once more$/,
  ],
  [
    'runs that overlap',
    async ({ archive, change, insert, run }) => {
      await insert(10);
      await run(archive);
      change(2, () => ({ after: '0'.repeat(24) }));
    },
    /_manifests\/000002\.json begins after 0+, and the manifest before it ends only at/,
  ],
  [
    'a manifest of another archive',
    ({ change }) => change(1, () => ({ until: 'f'.repeat(24) })),
    /_manifests\/000001\.json ends at f+, which no run of this archive has reached/,
  ],
  [
    'stored entries that are in no file',
    async ({ db, insert, storedIds }) => {
      await insert(1);
      await db
        .collection('archives')
        .updateOne({}, { $set: { 'covers.until': (await storedIds()).at(-1), 'covers.announced': 9 } });
    },
    /the files have 1,000 entries, but 1,001 are stored: some are in no file/,
  ],
  [
    'stored entries that are lost',
    ({ db }) => db.collection('entries').deleteMany({}),
    /the files have 1,000 entries, of which 0 are deleted, but only 0 are stored/,
  ],
])('finds %s', async (_fault, damage, message) => {
  const lake = await archived();
  await damage(lake);
  const failed = lake.verify();
  await expect(failed).rejects.toThrow(JobFailed);
  await expect(failed).rejects.toThrow(message);
});
