import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createKeysAt } from '@sluice/store/entries/entry-id.ts';
import { expect, it } from 'vitest';
import { compact } from '../../../../services/admin/src/archives/compact.ts';
import { archiveRuns, ownFolder } from '../../../../test/support/archive-runs.ts';
import { manifestsIn } from '../../../../test/support/lake.ts';
import { folderStore } from '../folder-store.ts';
import type { ObjectStore } from '../object-store.ts';
import { type LakeRange, readLake } from './read-lake.ts';

const keysAt = createKeysAt();
const hourMs = 3_600_000;

/** Three runs, the later ones with entries of old times, and lists of deleted entries. */
async function lake() {
  const runs = await archiveRuns();
  const { db, store, application, domain, root, insert } = runs;
  const archive = await runs.create();
  await insert(2_000, (n) => ({ n, text: 'ü'.repeat(n % 300) }));
  for (let run = 0; run < 3; run++) {
    await runs.run(archive);
    const ids = await runs.storedIds();
    for (const at of [3, 50 + run, 1_999 - run])
      await store.deletions.removeOne(application, ids[at] as string);
    const since = Date.now() - 50 * hourMs;
    const times = Array.from({ length: 100 }, (_, n) => since + n * hourMs * 0.4 + run);
    const announced = await store.milestones.removeFrom(application, since);
    const documents = times.map((time, n) => ({
      _id: keysAt(Buffer.from(application, 'hex'), time),
      payload: { n },
      announced,
    }));
    await db.collection('entries').insertMany(documents as never[]);
  }
  await runs.run(archive);
  const place = { store: folderStore(root) as ObjectStore, folder: domain, temporary: ownFolder() };
  const { run, manifests } = await runs.current(archive);
  const read = async (range: Partial<LakeRange> = {}, from = place) => {
    const lines = await Array.fromAsync(readLake(from, { run, manifests, until: 'f'.repeat(28), ...range }));
    for (const { id, bytes } of lines) expect(JSON.parse(bytes.toString()).id).toBe(id);
    return lines.map(({ id }) => id);
  };
  return { ...runs, archive, place, read };
}

it('reads each entry of a range once, in order, without deleted ones', async () => {
  const { read, storedIds } = await lake();
  const ids = await storedIds();
  expect(await read()).toEqual(ids);
  for (const [from, to] of [
    [0, 20],
    [90, 400],
    [1_500, 2_280],
  ] as const)
    expect(await read({ after: ids[from], until: ids[to] as string })).toEqual(ids.slice(from + 1, to + 1));
  const removed = new Set([ids[5] as string]);
  expect(await read({ until: ids[9] as string, removed })).toEqual(ids.slice(0, 10).toSpliced(5, 1));
  expect(await read({ run: 1, manifests: 0 })).toEqual([]);
});

it.each([2, 5, 6, 8, 9])('reads the same when files are compacted before read %i', async (at) => {
  const { read, storedIds, place, store, archive, domain } = await lake();
  let reads = 0;
  const objects: ObjectStore = {
    ...place.store,
    async read(name) {
      reads += 1;
      if (reads === at)
        expect((await compact(store, place.store, archive, domain)).rewritten).toBeGreaterThan(0);
      return place.store.read(name);
    },
  };
  expect(await read({}, { ...place, store: objects })).toEqual(await storedIds());
});

it('names a file that is changed or missing before it gives one of its lines', async () => {
  const { place, read, folder, domain } = await lake();
  const { name = '' } = manifestsIn(folder)[0]?.files[0] ?? {};
  appendFileSync(join(folder, name), '{"id":"');
  await expect(read({}, place)).rejects.toThrow(`${domain}/${name} is not as its manifest says`);
  rmSync(join(folder, name));
  await expect(read({}, place)).rejects.toThrow(`${domain}/${name} is missing`);
});

it('refuses a list or a manifest that is missing', async () => {
  const { read, folder, domain } = await lake();
  rmSync(join(folder, '_deleted/000002.parquet'));
  await expect(read()).rejects.toThrow(`${domain}/_deleted/000002.parquet is missing`);
  rmSync(join(folder, '_manifests/000002.json'));
  await expect(read()).rejects.toThrow(`${domain} has 3 of the 4 manifests that the archive has stored`);
});
