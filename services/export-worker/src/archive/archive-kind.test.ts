import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApplicationDeleted } from '@sluice/jobs/kind.ts';
import { Postpone } from '@sluice/jobs/queue/consumer.ts';
import { createStartArchives } from '@sluice/jobs/start-archives.ts';
import { folderStore } from '@sluice/objects/folder-store.ts';
import { type ObjectStore, ObjectStoreError } from '@sluice/objects/object-store.ts';
import { createKeysAt } from '@sluice/store/entries/entry-id.ts';
import { describe, expect, it } from 'vitest';
import { archiveRuns, ownTurn } from '../../../../test/support/archive-runs.ts';
import { manifestsIn, readLake } from '../../../../test/support/lake.ts';
import { until } from '../../../../test/support/sluice.ts';
import { createCleanAsked } from './asked-folders.ts';

const idsIn = async (folder: string) => (await readLake(folder)).map(({ id }) => id);
const keysAt = createKeysAt();
const dayMs = 86_400_000;

type Runs = Awaited<ReturnType<typeof archiveRuns>>;

/** Stores entries as an import of an export does: announced, with their own times. */
async function backdate({ db, store, application }: Runs, times: number[]): Promise<void> {
  const announced = await store.milestones.removeFrom(application, Math.min(...times));
  const documents = times.map((time, n) => ({
    _id: keysAt(Buffer.from(application, 'hex'), time),
    payload: { n },
    announced,
  }));
  await db.collection('entries').insertMany(documents as never[]);
}

describe('a run', () => {
  it.each(['ndjson', 'csv', 'parquet'] as const)(
    'has each entry once in files of %s, with its id and version',
    async (format) => {
      const runs = await archiveRuns();
      const { store, application, folder } = runs;
      const archive = await runs.create({ format });
      await runs.insert(3_000, (n) => ({ n, text: 'x'.repeat(n % 100), ...(n % 3 === 0 && { more: [n] }) }));
      await store.fields.add(application, ['/text', '/more']);
      const job = await runs.run(archive);
      const [manifest, ...others] = manifestsIn(folder);
      expect(others).toEqual([]);
      expect(manifest).toMatchObject({ run: 1, domain: runs.domain, format, schemas: [1] });
      const rows = await readLake(folder);
      expect(rows.map(({ id }) => id)).toEqual(await runs.storedIds());
      expect(new Set(rows.map((row) => Number(row.schema_version)))).toEqual(new Set([1]));
      expect(job.result).toMatchObject({ entries: 3_000, files: manifest?.files.length });
      expect(job.files).toEqual(manifest?.files);
      expect(manifest?.files.length).toBeGreaterThan(1);
      const { covers, lastRun, entries, run } = await runs.current(archive);
      expect({ until: covers.until, entries, run }).toEqual({
        until: rows.at(-1)?.id,
        entries: 3_000,
        run: 2,
      });
      expect(lastRun).toMatchObject({ run: 1, entries: 3_000 });
      expect(JSON.parse(readFileSync(join(folder, '_schema/1.json'), 'utf8'))).toHaveProperty('properties');
      expect(readdirSync(runs.temporary)).toEqual([]);
    },
  );

  it('stores nothing where nothing came, and covers more', async () => {
    const runs = await archiveRuns();
    const archive = await runs.create();
    await runs.run(archive);
    await runs.insert(10);
    await runs.run(archive);
    const before = await runs.current(archive);
    await runs.run(archive);
    expect(manifestsIn(runs.folder).map(({ run }) => run)).toEqual([2]);
    const { covers, run } = await runs.current(archive);
    expect([covers.until, run]).toEqual([before.covers.until, 4]);
    expect(covers.announced).toBeGreaterThan(before.covers.announced);
  });

  it('is followed by another at once when that was asked for meanwhile, also if it fails', async () => {
    const runs = await archiveRuns();
    const { store, application, root } = runs;
    const archive = await runs.create();
    const isDue = async () => (await store.archives.due(1)).length === 1;
    await runs.insert(1);
    await runs.run(archive);
    expect(await isDue()).toBe(false);
    const objects: ObjectStore = {
      ...folderStore(root),
      async create() {
        await runs.insert(1);
        await store.archives.hurry(application, archive.id);
        throw new ObjectStoreError('the store is away');
      },
    };
    await runs.insert(1);
    await expect(runs.run(archive, { objects })).rejects.toThrow('away');
    expect(await isDue()).toBe(false);
    await runs.run(archive);
    expect(await isDue()).toBe(true);
    await runs.run(archive);
    expect(await idsIn(runs.folder)).toEqual(await runs.storedIds());
    expect(await isDue()).toBe(false);
  });

  it('has entries that came with old times, in files of their day', async () => {
    const runs = await archiveRuns();
    const archive = await runs.create({ format: 'parquet' });
    await runs.insert(100);
    await runs.run(archive);
    const old = Date.now() - 10 * dayMs;
    await backdate(runs, [old, old + 1, old + dayMs, Date.now() - 1]);
    await runs.insert(10);
    await runs.run(archive);
    expect(manifestsIn(runs.folder)[1]?.files.length).toBeGreaterThanOrEqual(3);
    expect(await idsIn(runs.folder)).toEqual(await runs.storedIds());
    await runs.run(archive);
    expect(manifestsIn(runs.folder)).toHaveLength(2);
  });

  it('waits for an upload below its newest entry that is under way', async () => {
    const runs = await archiveRuns();
    const { db, store, application } = runs;
    const archive = await runs.create();
    await runs.insert(1);
    const time = Date.now() + 20;
    const hold = await store.horizon.hold(time);
    await until(async () => {
      await runs.insert(1);
      return Number.parseInt((await runs.storedIds()).at(-1)?.slice(0, 12) as string, 16) > time;
    });
    let isStored = false;
    const turn = {
      ...ownTurn(),
      /** Called while the run waits. */
      async giveWay() {
        if (isStored) return;
        isStored = true;
        const _id = keysAt(Buffer.from(application, 'hex'), time);
        await db.collection('entries').insertOne({ _id, payload: { n: 1 } } as never);
        await hold?.release();
      },
    };
    await runs.run(archive, { turn });
    expect(isStored).toBe(true);
    expect(await idsIn(runs.folder)).toEqual(await runs.storedIds());
  });

  it('lists entries that were deleted, also where the newest are gone', async () => {
    const runs = await archiveRuns();
    const { store, application, folder } = runs;
    const archive = await runs.create({ format: 'parquet' });
    const other = await runs.create();
    await runs.insert(200);
    await runs.run(archive);
    const ids = await runs.storedIds();
    for (const id of [ids[0], ids[5], ids[199]]) await store.deletions.removeOne(application, id as string);
    const { result } = await runs.run(archive);
    expect(result).toEqual({ entries: 0, files: 0, bytes: 0, deletions: 3 });
    expect((await runs.current(archive)).lastRun).toMatchObject({ entries: 0, deletions: 3 });
    const [, manifest] = manifestsIn(folder);
    expect(manifest).toMatchObject({ files: [], deleted: { name: '_deleted/000002.parquet', entries: 3 } });
    expect(await idsIn(folder)).toEqual(await runs.storedIds());
    // The other archive has yet to say so.
    expect(await runs.db.collection('removals').countDocuments()).toBe(3);
    await store.archives.remove(application, other.id);
    await runs.run(archive);
    expect(await runs.db.collection('removals').countDocuments()).toBe(0);
    await runs.insert(10);
    await runs.run(archive);
    expect(await idsIn(folder)).toEqual(await runs.storedIds());
  });

  it.each([0, 199])('has entry %i that an import stored again after its deletion', async (at) => {
    const runs = await archiveRuns();
    const archive = await runs.create();
    await runs.insert(200);
    const id = (await runs.storedIds())[at] as string;
    const found = await runs.db.collection('entries').find().sort({ _id: 1 }).skip(at).next();
    const storeAgain = () => runs.db.collection('entries').insertOne(found as never);
    await runs.store.deletions.removeOne(runs.application, id);
    // The newest can come back behind the run, as it is above what the run covers.
    if (at === 0) await storeAgain();
    await runs.run(archive);
    if (at !== 0) await storeAgain();
    await runs.run(archive);
    expect(await runs.storedIds()).toHaveLength(200);
    expect(await idsIn(runs.folder)).toEqual(await runs.storedIds());
    await runs.store.deletions.removeOne(runs.application, id);
    await runs.run(archive);
    expect(await idsIn(runs.folder)).toEqual(await runs.storedIds());
  });

  it('ends with so many files, wherever its worker dies, and the next one begins at once', async () => {
    const runs = await archiveRuns();
    const { store, application } = runs;
    const archive = await runs.create();
    await runs.insert(3_000);
    const few = { fileBytes: 8 * 1024, mostFiles: 3 };
    const isDue = async () => (await store.archives.due(9)).some(({ id }) => id === archive.id);
    const end = () => Promise.reject(new Error('killed'));
    const dying = { ...store, archives: { ...store.archives, end } };
    const counts: number[] = [];
    // A retry is asked for, so the next run is due in any case.
    let isRetry: boolean;
    do {
      isRetry = counts.length % 2 === 0;
      if (isRetry) await expect(runs.run(archive, { ...few, stores: dying })).rejects.toThrow('killed');
      const { result } = await runs.run(archive, few);
      counts.push(result?.files as number);
      // Entries that come and go meanwhile, old ones in more files than a run may have.
      if (counts.length === 2) {
        const old = Date.now() - 20 * dayMs;
        await backdate(
          runs,
          Array.from({ length: 9 }, (_, n) => old + n * dayMs),
        );
        const ids = await runs.storedIds();
        for (const id of [ids[0], ids[50], ids.at(-1)])
          await store.deletions.removeOne(application, id as string);
      }
    } while (isRetry || (await isDue()));
    expect(counts.length).toBeGreaterThan(4);
    expect(counts.filter((count) => count > 3)).toHaveLength(1);
    expect(await idsIn(runs.folder)).toEqual(await runs.storedIds());
    const files = manifestsIn(runs.folder).map(({ after, until }) => [after, until]);
    for (const [at, [after]] of files.entries()) expect(after).toBe(files[at - 1]?.[1]);
    const { entries } = await runs.current(archive);
    expect(entries).toBeGreaterThan(3_000);
  });

  it('begins behind what was there when the archive takes what comes from now on', async () => {
    const runs = await archiveRuns();
    await runs.insert(50);
    const { until, announced } = await runs.store.rawEntries.cut(runs.application);
    const archive = await runs.create({ from: 'now', covers: { ...(until && { until }), announced } });
    await runs.insert(20);
    await runs.run(archive);
    expect(await idsIn(runs.folder)).toEqual((await runs.storedIds()).slice(50));
  });

  it('has columns for fields that came after the run before, and its versions', async () => {
    const runs = await archiveRuns();
    const { store, application, folder } = runs;
    const archive = await runs.create({ format: 'csv' });
    await runs.insert(10);
    await runs.run(archive);
    await store.schemas.publish(
      (await store.applications.byId(application)) as never,
      {
        rawSchema: '{"type":"object","properties":{"later":{"type":"string"}}}',
        createdBy: 'b',
        fields: ['/later'],
      } as never,
    );
    await runs.insert(10, (n) => ({ n, later: 'yes' }), 2);
    await runs.run(archive);
    const rows = await readLake(folder);
    expect(
      rows.slice(10).every(({ later, schema_version }) => later === 'yes' && schema_version === '2'),
    ).toBe(true);
    expect(manifestsIn(folder)[1]?.schemas).toEqual([1, 2]);
    expect(readdirSync(join(folder, '_schema')).sort()).toEqual(['1.json', '2.json']);
  });
});

/** Fails at calls of these numbers, from 1, before or after the object was stored. */
function failing(objects: ObjectStore, at: number[], isAfter: boolean): ObjectStore {
  let calls = 0;
  return {
    ...objects,
    async create(name, pieces) {
      calls += 1;
      if (!at.includes(calls)) return objects.create(name, pieces);
      if (isAfter) await objects.create(name, pieces);
      throw new ObjectStoreError('the store is away');
    },
  };
}

describe('a run that is interrupted', () => {
  it.each([false, true])(
    'goes on behind its last file when the store failed (after it stored: %s)',
    async (isAfter) => {
      const runs = await archiveRuns();
      const archive = await runs.create();
      await runs.insert(3_000);
      const objects = failing(folderStore(runs.root), [2, 4, 6], isAfter);
      for (let tries = 0; tries < 3; tries++) {
        await expect(runs.run(archive, { objects })).rejects.toThrow('the store is away');
        expect(await runs.current(archive)).toMatchObject({
          state: 'failing',
          reason: 'the store is away',
          failures: tries + 1,
        });
        expect(manifestsIn(runs.folder)).toEqual([]);
      }
      await runs.run(archive, { objects });
      expect(await idsIn(runs.folder)).toEqual(await runs.storedIds());
      const after = await runs.current(archive);
      expect(after).toMatchObject({ state: 'active', failures: 0, run: 2 });
      expect(after).not.toHaveProperty('reason');
    },
  );

  it('gives way behind a recorded file alone, and loses none', async () => {
    const runs = await archiveRuns();
    const archive = await runs.create();
    await runs.insert(3_000);
    let turns = 0;
    const turn = {
      ...ownTurn(),
      async giveWay() {
        turns += 1;
        if (turns === 2) throw new Postpone();
      },
    };
    // The first is asked for while it waits for the horizon.
    await expect(runs.run(archive, { turn })).rejects.toThrow(Postpone);
    const [job] = await runs.store.jobs.archives.runs(runs.application, archive.id, 1);
    expect(job).toMatchObject({ state: 'waiting' });
    await runs.run(archive);
    expect(await idsIn(runs.folder)).toEqual(await runs.storedIds());
  });

  it('is made once by a worker that stood still and the next one', async () => {
    const runs = await archiveRuns();
    const archive = await runs.create();
    await runs.insert(3_000);
    const { db, store } = runs;
    // The lease of the first is over when it stores its second file, so another one does the job.
    let calls = 0;
    const folder = folderStore(runs.root);
    const objects: ObjectStore = {
      ...folder,
      async create(name, pieces) {
        calls += 1;
        if (calls === 2) {
          await db.collection('jobs').updateOne({ kind: 'archive' }, { $set: { leaseUntil: new Date(0) } });
          await runs.run(archive);
        }
        return folder.create(name, pieces);
      },
    };
    await expect(runs.run(archive, { objects })).rejects.toThrow();
    expect(await idsIn(runs.folder)).toEqual(await runs.storedIds());
    expect((await runs.current(archive)).entries).toBe(3_000);
    expect((await store.jobs.archives.runs(runs.application, archive.id, 9)).length).toBe(1);
  });

  it('keeps its list of deleted entries when its worker dies behind the manifest', async () => {
    const runs = await archiveRuns();
    const { db, store, application } = runs;
    const archive = await runs.create();
    await runs.insert(100);
    const id = (await runs.storedIds())[3] as string;
    const found = await db.collection('entries').find().sort({ _id: 1 }).skip(3).next();
    await store.deletions.removeOne(application, id);
    await db.collection('entries').insertOne(found as never);
    const end = () => Promise.reject(new Error('killed'));
    const dying = { ...store, archives: { ...store.archives, end } };
    await expect(runs.run(archive, { stores: dying })).rejects.toThrow('killed');
    await store.deletions.removeOne(application, id);
    await runs.run(archive);
    await runs.run(archive);
    expect(await idsIn(runs.folder)).toEqual(await runs.storedIds());
  });

  it('takes another name for a file of whose name there are other bytes', async () => {
    const runs = await archiveRuns();
    const archive = await runs.create();
    await runs.insert(10);
    const [first, last] = [(await runs.storedIds())[0] as string, (await runs.storedIds())[9] as string];
    const [day] = new Date(Number.parseInt(first.slice(0, 12), 16)).toISOString().split('T');
    const name = `${runs.domain}/date=${day}/${first}-${last}.ndjson`;
    await folderStore(runs.root).create(
      name,
      (async function* () {
        yield Buffer.from('other');
      })(),
    );
    await runs.run(archive);
    expect(manifestsIn(runs.folder)[0]?.files[0]?.name).toMatch(/-1\.ndjson$/);
    expect(await idsIn(runs.folder)).toEqual(await runs.storedIds());
  });

  it('fails with what to do when its place has manifests of another archive', async () => {
    const runs = await archiveRuns();
    const archive = await runs.create();
    await runs.insert(10);
    await runs.run(archive);
    await runs.store.archives.remove(runs.application, archive.id);
    await runs.insert(1);
    const next = await runs.create();
    await expect(runs.run(next)).rejects.toThrow(
      /000001\.json is there already.*move away what is in a-abc234.*make it anew/,
    );
    expect(await runs.current(next)).toMatchObject({ state: 'failing', run: 1 });
  });
});

describe('a restored archive', () => {
  it('goes on, with the deletions that it did not list yet', async () => {
    const runs = await archiveRuns();
    const archive = await runs.create();
    await runs.insert(100);
    await runs.run(archive);
    await runs.store.deletions.removeOne(runs.application, (await runs.storedIds())[3] as string);
    const restored = await archiveRuns(await runs.backUp());
    await restored.insert(10);
    await restored.run(archive);
    const stored = await restored.storedIds();
    expect(stored).toHaveLength(109);
    expect(await idsIn(restored.folder)).toEqual(stored);
  });

  it('says what to do when its files have more than the backup', async () => {
    const runs = await archiveRuns();
    const archive = await runs.create();
    await runs.insert(100);
    await runs.run(archive);
    const backup = await runs.backUp();
    await runs.insert(1);
    await runs.run(archive);
    const restored = await archiveRuns(backup);
    // Also where nothing came since.
    const running = restored.run(archive);
    await expect(running).rejects.toThrow(/000002\.json is there already.*restore.*make it anew/);
    expect(await restored.current(archive)).toMatchObject({ state: 'failing', run: 2 });
  });
});

it('is looked up, not made again, while it is under way', async () => {
  const { store, application, ...runs } = await archiveRuns();
  await runs.create();
  let made = 0;
  const enqueued: string[] = [];
  const create: typeof store.jobs.archives.create = (job) => {
    made += 1;
    return store.jobs.archives.create(job);
  };
  const jobs = { ...store.jobs, archives: { ...store.jobs.archives, create } };
  const start = createStartArchives(
    { ...store, jobs },
    { enqueue: async ({ id }) => void enqueued.push(id) },
  );
  await Promise.all([start(), start()]);
  for (let sweep = 0; sweep < 3; sweep++) await start();
  expect(made).toBeLessThanOrEqual(2);
  expect(new Set(enqueued).size).toBe(1);
  expect(enqueued).toHaveLength(made);
  expect(await store.jobs.list(application, 'archive')).toHaveLength(1);
});

it('does not begin while its application is deleted, and keeps no other from beginning', async () => {
  const { store, application, domain, owner, ...runs } = await archiveRuns();
  const { id } = await runs.create();
  await store.applications.remove(domain, owner.id, 60_000);
  await createStartArchives(store, { enqueue: async () => {} })();
  expect(await store.jobs.list(application, 'archive')).toEqual([]);
  expect((await store.archives.due(1)).map((archive) => archive.id)).not.toContain(id);
});

it('ends with its archive', async () => {
  const runs = await archiveRuns();
  const archive = await runs.create();
  await runs.insert(10);
  const archives = { ...runs.store.archives, get: async () => undefined };
  await expect(runs.run(archive, { stores: { ...runs.store, archives } })).rejects.toThrow(
    ApplicationDeleted,
  );
  expect(manifestsIn(runs.folder)).toEqual([]);
});

it('files for questions go with their application, or seven days after the last one', async () => {
  const runs = await archiveRuns();
  const { db, store, application, root } = runs;
  const asked = await store.askedArchives.ask(application);
  await runs.insert(1);
  await runs.run(asked);
  const of = (id: string) => join(root, '_questions', id);
  mkdirSync(of('gone'));
  await createCleanAsked(store, root)();
  expect(readdirSync(of(''))).toEqual([asked.id]);
  await store.deletions.removeOne(application, (await runs.storedIds())[0] as string);
  const age = (days: number) =>
    db.collection('archives').updateOne({}, { $set: { asked: new Date(Date.now() - days * dayMs) } });
  await age(6.9);
  await createCleanAsked(store, root)();
  expect(readdirSync(of(''))).toEqual([asked.id]);
  await age(7.1);
  await createCleanAsked(store, root)();
  expect(readdirSync(of(''))).toEqual([]);
  expect(await db.collection('removals').countDocuments()).toBe(0);
  expect(await store.archives.get(application, asked.id)).toBeUndefined();

  const again = await store.askedArchives.ask(application);
  await runs.run(again);
  await store.removeRest(application);
  await createCleanAsked(store, root)();
  expect(readdirSync(of(''))).toEqual([]);
});
