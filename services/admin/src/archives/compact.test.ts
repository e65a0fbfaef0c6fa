import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderStore } from '@sluice/objects/folder-store.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { compactionStore } from '@sluice/store/archives/compactions.ts';
import { toKey } from '@sluice/store/entries/entry-id.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { expect, it } from 'vitest';
import { archiveRuns } from '../../../../test/support/archive-runs.ts';
import { manifestsIn, readLake } from '../../../../test/support/lake.ts';
import { compact } from './compact.ts';
import { compactOne, underCheck } from './compact-archives.ts';

type Runs = Awaited<ReturnType<typeof archiveRuns>>;
type Format = 'ndjson' | 'csv' | 'parquet';

/** Two runs store entries, and a third lists deleted ones. Returns the entries that a reader finds. */
async function deletedLake(format: Format) {
  const runs = await archiveRuns();
  const archive = await runs.create({ format });
  const text = (n: number) => `a "quoted",\ntext ${'x'.repeat(n % 500)}`;
  for (let run = 0; run < 2; run++) {
    await runs.insert(1_000, (n) => ({
      n,
      text: text(n),
      more: [n],
      big: 9_007_199_254_740_993n.toString(),
    }));
    await runs.store.fields.add(runs.application, ['/text', '/more', '/big']);
    await runs.run(archive, { fileBytes: 128 * 1024 });
  }
  const ids = await runs.storedIds();
  const [all] = manifestsIn(runs.folder)[0]?.files ?? [];
  // Every entry of one file, and some entries of others.
  const gone = ids.filter((id, at) => (all && id >= all.first && id <= all.last) || at % 100 === 7);
  const keys = gone.map((id) => toKey(runs.application, id));
  await runs.store.deletions.remove(runs.application, { _id: { $in: keys } });
  await runs.run(archive);
  return { runs, archive, rows: await readLake(runs.folder) };
}

const compactIn = (
  { store, domain, root }: Runs,
  archive: { application: string; id: string },
  objects?: ObjectStore,
) => compact(store, objects ?? folderStore(root), archive, domain);

const withoutDeleted = (folder: string) =>
  manifestsIn(folder).every(({ deleted, files }) => !deleted && files.every((file) => !('next' in file)));

it.each(['ndjson', 'csv', 'parquet'] as const)('takes deleted entries out of files of %s', async (format) => {
  const { runs, archive, rows } = await deletedLake(format);
  const { entries, removed, rewritten } = await compactIn(runs, archive);
  expect([entries, removed]).toEqual([2_000 - rows.length, 1]);
  expect(rewritten).toBeGreaterThan(0);
  expect(await readLake(runs.folder)).toEqual(rows);
  expect(withoutDeleted(runs.folder)).toBe(true);
  expect(readdirSync(join(runs.folder, '_deleted'))).toEqual(['000000.parquet']);
  expect(await compactIn(runs, archive)).toEqual({
    entries: 0,
    removed: 0,
    rewritten: 0,
    orphans: 0,
    bytes: 0,
  });
});

it('ends right when it was killed at any change, before or after it', async () => {
  const { runs, archive, rows } = await deletedLake('ndjson');
  const objects = folderStore(runs.root);
  let changes = 0;
  for (let isKilled = true; isKilled; ) {
    isKilled = false;
    const before = changes % 2 === 0;
    changes += 1;
    let left = 1 + (changes % 3);
    const killing =
      <Given extends unknown[]>(change: (...given: Given) => Promise<void>) =>
      async (...given: Given) => {
        left -= 1;
        isKilled = left <= 0;
        if (isKilled && before) throw new Error('killed');
        await change(...given);
        if (isKilled) throw new Error('killed');
      };
    const faulty = { ...objects, replace: killing(objects.replace), remove: killing(objects.remove) };
    await compactIn(runs, archive, faulty).catch((error) => expect(error.message).toBe('killed'));
    if (changes > 500) throw new Error('it never ends');
  }
  expect(changes).toBeGreaterThan(10);
  expect(await readLake(runs.folder)).toEqual(rows);
  expect(withoutDeleted(runs.folder)).toBe(true);
});

it('is done by one process at a time, once in a period, and stops when its lease is lost', async () => {
  const { runs, archive, rows } = await deletedLake('ndjson');
  const { db, domain, root, store } = runs;
  const objects = folderStore(root);
  const [steals, stolen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const replaced = Promise.withResolvers<void>();
  const slow: ObjectStore = {
    ...objects,
    async replace(name, pieces) {
      if (!name.includes('date=')) return objects.replace(name, pieces);
      steals.resolve();
      await stolen.promise;
      const replacing = objects.replace(name, pieces);
      replaced.resolve(replacing);
      return replacing;
    },
  };
  const { compact: underLease } = compactionStore(db, { leaseMs: 10_000, heartbeatMs: 20 });
  const compacting = underLease(archive, undefined, (check) =>
    compact(store, underCheck(slow, check), archive, domain),
  );
  const lost = expect(compacting).rejects.toThrow(LeaseLost);
  await steals.promise;
  const found = { archive: await runs.current(archive), domain, objects };
  expect(await compactOne(store, found)).toBe(`another process compacts it now`);
  await db.collection('archives').updateOne({}, { $inc: { 'compaction.fence': 1 } });
  await lost;
  stolen.resolve();
  await expect(replaced.promise).rejects.toThrow(LeaseLost);
  expect(await readLake(runs.folder)).toEqual(rows);
  await db.collection('archives').updateOne({}, { $set: { 'compaction.leaseUntil': new Date(0) } });
  const usedBytes = async () =>
    (await Array.fromAsync(objects.list(domain)))
      .filter(({ name }) => !name.includes('_manifests'))
      .reduce((sum, { bytes }) => sum + bytes, 0);
  const before = await usedBytes();
  const said = await compactOne(store, found);
  const freed = (before - (await usedBytes())).toLocaleString('en');
  expect(said).toMatch(new RegExp(`^\\S+ deleted entries taken out, .* ${freed} bytes freed$`));
  expect(await compactOne(store, found, 60_000)).toBeUndefined();
  await db.collection('archives').updateOne({}, { $set: { 'compaction.at': new Date(0) } });
  expect(await compactOne(store, found, 60_000)).toContain('0 deleted entries taken out');
  expect(await readLake(runs.folder)).toEqual(rows);
});

it('names a file that was changed or is missing, and leaves all as it is', async () => {
  const { runs, archive } = await deletedLake('ndjson');
  const name = manifestsIn(runs.folder)[0]?.files[0]?.name as string;
  writeFileSync(join(runs.folder, name), 'other');
  await expect(compactIn(runs, archive)).rejects.toThrow(
    `${runs.domain}/${name} is not as its manifest says`,
  );
  await folderStore(runs.root).remove(`${runs.domain}/${name}`);
  await expect(compactIn(runs, archive)).rejects.toThrow(`${runs.domain}/${name} is missing`);
  expect(manifestsIn(runs.folder)[2]?.deleted).toBeDefined();
});

it('removes files that no manifest names after a day, but none while a run is under way', async () => {
  const { runs, archive, rows } = await deletedLake('csv');
  const day = readdirSync(runs.folder).find((name) => name.startsWith('date=')) as string;
  const [old, young] = [join(runs.folder, day, 'old.csv'), join(runs.folder, day, 'young.csv')];
  for (const path of [old, young]) writeFileSync(path, 'id\n');
  const none = join(runs.folder, '_deleted/000000.parquet');
  for (const path of [old, none]) utimesSync(path, new Date(0), new Date(0));
  await runs.insert(10);
  const away = { ...folderStore(runs.root), create: () => Promise.reject(new Error('away')) };
  await expect(runs.run(archive, { objects: away })).rejects.toThrow('away');
  expect((await compactIn(runs, archive)).orphans).toBe(0);
  await runs.db.collection('jobs').deleteMany({ 'options.run': 4 });
  expect((await compactIn(runs, archive)).orphans).toBe(1);
  expect(statSync(young).size).toBe(3);
  expect(() => statSync(old)).toThrow();
  expect(await readLake(runs.folder)).toEqual(rows);
});
