import { randomUUID } from 'node:crypto';
import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folderStore } from '@sluice/objects/folder-store.ts';
import { toKey } from '@sluice/store/entries/entry-id.ts';
import { expect, it } from 'vitest';
import { archiveRuns } from '../../../../test/support/archive-runs.ts';
import { manifestsIn } from '../../../../test/support/lake.ts';
import { compact } from './compact.ts';
import { verify } from './verify.ts';

it.each(['ndjson', 'csv', 'parquet'] as const)(
  'finds files of %s equal to what MongoDB has, and each fault by its name',
  async (format) => {
    const { store, application, domain, folder, root, ...runs } = await archiveRuns();
    const objects = folderStore(root);
    const archive = await runs.create({ format });
    const check = async () => verify(store, objects, await runs.current(archive), domain);
    const remove = async (...places: number[]) => {
      const ids = await runs.storedIds();
      for (const at of places) await store.deletions.removeOne(application, ids[at] as string);
    };
    expect(await check()).toEqual({ entries: 0, faults: [] });
    await store.fields.add(application, ['/text']);
    await runs.insert(3_000, (n) => ({ n, text: 'x'.repeat(n % 100) }));
    await runs.run(archive);
    await remove(0, 5, 2_990);
    expect(await check()).toEqual({ entries: 2_997, faults: [] });
    // One came and went between two runs.
    await runs.insert(2);
    await remove(2_998);
    await runs.run(archive);
    await runs.insert(10);
    expect(await check()).toEqual({ entries: 2_998, faults: [] });
    await compact(store, objects, archive, domain);
    expect(await check()).toEqual({ entries: 2_998, faults: [] });

    // As retention does with what the archive has.
    const [oldest = ''] = await runs.storedIds();
    await store.applications.update(application, { retentionArchive: archive.id });
    await runs.db.collection('applications').updateOne({}, { $set: { archivedUntil: oldest } });
    const query = { _id: toKey(application, oldest) };
    await store.deletions.remove(application, query, { isMove: true });
    expect(await check()).toEqual({ entries: 2_998, faults: [] });

    const [first, second] = manifestsIn(folder);
    const { name = '', entries = 0 } = first?.files[0] ?? {};
    const path = join(folder, name);
    const whole = readFileSync(path);
    truncateSync(path, whole.length - 1);
    const cut = await check();
    expect(cut.faults[0]).toBe(`${domain}/${name} is not as its manifest says`);
    expect(cut.faults[1]).toContain(`${entries - 1} entries of `);
    rmSync(path);
    expect((await check()).faults[0]).toBe(`${domain}/${name} is missing`);
    writeFileSync(path, whole);
    const copy = `${dirname(name)}/copy.${format}`;
    copyFileSync(path, join(folder, copy));
    const doubled = { ...first?.files[0], name: copy };
    const manifest = { ...second, files: [...(second?.files ?? []), doubled] };
    writeFileSync(join(folder, '_manifests/000002.json'), JSON.stringify(manifest));
    expect((await check()).faults).toEqual([
      `${entries} entries are there more than once: in ${[name, copy].toSorted().join(' and ')}`,
    ]);
    await runs.db.collection('entries').deleteMany({});
    expect((await check()).faults).toContain(`${name} has ${entries - 1} entries that MongoDB does not have`);
  },
);

it('reads each of many files as it is', async () => {
  const { store, domain, folder, root, ...runs } = await archiveRuns();
  await store.fields.add(runs.application, ['/text']);
  await runs.insert(20_000, (n) => ({ n, text: randomUUID() }));
  const archive = await runs.create({ format: 'parquet' });
  await runs.run(archive, { fileBytes: 5_000 });
  expect(manifestsIn(folder)[0]?.files.length).toBeGreaterThan(50);
  const found = await verify(store, folderStore(root), await runs.current(archive), domain);
  expect(found).toEqual({ entries: 20_000, faults: [] });
});
