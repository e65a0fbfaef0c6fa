import { setImmediate as breathe } from 'node:timers/promises';
import type { ErrorDetail } from '@sluice/shared/errors.ts';
import { ObjectId } from 'mongodb';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../../../../test/support/cuttable-proxy.ts';
import { openStore, ownDatabase, throughProxy } from '../../../../test/support/own-database.ts';
import { until } from '../../../../test/support/sluice.ts';
import { createCounts } from './counts.ts';
import { createRefusalRecorder } from './recorder.ts';
import type { RefusedUpload } from './refused-upload.ts';

const log = { debug: () => {} } as never;
const owner = 'neighbour';

async function begin() {
  const { url } = await ownDatabase();
  const store = openStore(url);
  await store.prepare();
  const id = new ObjectId().toHexString();
  const application = applicationOf(id, owner);
  const record = () => {
    const recorder = createRefusalRecorder(store, log);
    onTestFinished(recorder.close);
    return recorder;
  };
  const totals = () => store.refusalCounts.totals(id, {}, 1_000);
  const page = { start: 0, limit: 10_000, onRead: () => {} };
  return { url, store, id, application, record, totals, kept: () => store.refused.page(id, {}, page) };
}

const applicationOf = (id: string, owner: string) => ({
  id,
  owner,
  version: 3,
  refused: { keep: true, limit: 10_000, days: 30 },
});

const applicationsOf = (owners: string[]) =>
  owners.map((owner) => applicationOf(new ObjectId().toHexString(), owner));

const detail = (n: number): ErrorDetail => ({ path: `/${n}`, keyword: 'type', message: 'must be number' });

function refused(details: ErrorDetail[], json = '{}', line?: number): RefusedUpload {
  const refusal = { name: 'SchemaValidationError' as const, message: 'no', details };
  return { source: 'upload', refusal, payload: Buffer.from(json), ...(line !== undefined && { line }) };
}

describe('the recorder', () => {
  it('counts exactly what several processes note at once, while it stores', async () => {
    const { application, record, totals } = await begin();
    const recorders = [record(), record(), record()];
    for (let n = 0; n < 3_000; n++) {
      recorders[n % 3]?.note(application, refused([detail(n % 5)]));
      // Meanwhile some of it is stored.
      if (n % 100 === 0) await totals();
    }
    await Promise.all(recorders.map((recorder) => recorder.close()));
    const counted = await totals();
    expect(counted.map(({ path, count }) => [path, count]).sort()).toEqual(
      [0, 1, 2, 3, 4].map((n) => [`/${n}`, 600]),
    );
  });

  it('keeps also what comes while it stores', async () => {
    const { application, record, kept } = await begin();
    const recorder = record();
    recorder.note(application, refused([detail(0)]));
    let noted = 1;
    let isStoring = true;
    const storing = recorder.close().then(() => {
      isStoring = false;
    });
    for (; isStoring && noted < 500; noted++) {
      recorder.note(application, refused([detail(0)]));
      await breathe();
    }
    await storing;
    await recorder.close();
    expect(noted).toBeGreaterThan(1);
    expect(await kept()).toHaveLength(noted);
  });

  it('counts nothing that it does not keep yet', async () => {
    const { store, application, totals, kept } = await begin();
    const noteWhileKeeping = async (records: Parameters<typeof store.refused.keep>[0]) => {
      await store.refused.keep(records);
      recorder.note(application, refused([detail(1)]));
    };
    const refusedStore = { ...store.refused, keep: noteWhileKeeping };
    const recorder = createRefusalRecorder({ ...store, refused: refusedStore }, log);
    recorder.note(application, refused([detail(0)]));
    await recorder.close();
    expect(await totals()).toMatchObject([{ path: '/0', count: 1 }]);
    expect(await kept()).toMatchObject([{ path: '/0' }]);
  });

  it('keeps all of a few, and some of very many', async () => {
    const { application, record, kept } = await begin();
    const recorder = record();
    for (let n = 0; n < 5_000; n++) recorder.note(application, refused([detail(0)], `{"n":${n}}`));
    await recorder.close();
    const found = (await kept()).map(({ payload }) => JSON.parse(payload).n);
    expect(found.slice(-500)).toEqual(Array.from({ length: 500 }, (_, n) => 499 - n));
    expect(found.length).toBeLessThan(5_000);
  });

  it.each([
    ['places', detail],
    ['properties', (n: number): ErrorDetail => ({ ...detail(0), property: `p${n}` })],
  ])('counts a hundred %s a minute one by one, and the others together', async (_what, detailOf) => {
    const { application, record, totals } = await begin();
    const recorder = record();
    for (let n = 0; n < 10_000; n++) recorder.note(application, refused([detailOf(n)]));
    await recorder.close();
    const counted = await totals();
    expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
    // Two minutes, where one ended meanwhile.
    const others = counted.find(({ keyword }) => keyword === 'other');
    expect(counted.length).toBeLessThanOrEqual(200);
    expect(others?.count).toBeGreaterThan(100);
  });

  it.each([
    ['many reasons for many applications of one owner', applicationsOf(Array(520).fill('one')), 99, 2],
    [
      'large uploads for applications of many owners',
      applicationsOf(Array.from({ length: 60 }, (_, n) => `owner ${n}`)),
      50,
      20_000,
    ],
  ])('keeps and counts all of a few, beside %s', async (_what, flooded, lines, length) => {
    const { store, application, record, totals, kept } = await begin();
    const recorder = record();
    const payload = `"${'x'.repeat(length)}"`;
    for (const each of flooded)
      for (let n = 0; n < lines; n++) recorder.note(each, refused([detail(n)], payload));
    for (let n = 0; n < 200; n++) recorder.note(application, refused([detail(n % 2)]));
    await recorder.close();
    expect((await totals()).map(({ path, count }) => [path, count]).sort()).toEqual([
      ['/0', 100],
      ['/1', 100],
    ]);
    expect(await kept()).toHaveLength(200);
    const counted = await store.refusalCounts.since(
      flooded.map(({ id }) => id),
      new Date(0),
    );
    expect([...counted.values()]).toEqual(flooded.map(() => lines));
  });

  it('keeps what was wrong, cut off where it is very long', async () => {
    const { application, record, kept } = await begin();
    const recorder = record();
    const long = { ...detail(1), path: `/${'p'.repeat(499)}` };
    recorder.note(application, refused(Array.from({ length: 100 }, () => long)));
    await recorder.close();
    const [found] = await kept();
    expect(found).toMatchObject({ version: 3, name: 'SchemaValidationError', path: `/${'p'.repeat(249)}…` });
    expect(found?.details.length).toBeGreaterThan(20);
    expect(JSON.stringify(found?.details).length).toBeLessThan(20_000);
  });

  it('forgets nothing while MongoDB is away', async () => {
    const { url, application, totals, kept } = await begin();
    const { hostname, port } = new URL(inject('mongodbUrl'));
    const proxy = await createCuttableProxy({ host: hostname, port: Number(port || 27017) });
    const store = openStore(throughProxy(url, proxy), 1_000);
    onTestFinished(proxy.close);
    await store.ping();
    await proxy.cut();
    const recorder = createRefusalRecorder(store, log);
    recorder.note(application, refused([detail(1)]));
    await recorder.close();
    expect(await totals()).toEqual([]);
    await proxy.restore();
    recorder.note(application, refused([detail(1)]));
    await until(async () => {
      await recorder.close();
      return (await kept()).length === 2;
    });
    expect(await totals()).toMatchObject([{ path: '/1', count: 2 }]);
  });
});

describe('the counts', () => {
  it('that are written late, or again, change nothing', async () => {
    const { store, id, totals } = await begin();
    const counts = createCounts();
    const told = { path: '/a', keyword: 'type', message: 'no' };
    const written: Parameters<typeof store.refusalCounts.write>[0][] = [];
    const write = async (minutes: (typeof written)[0]) => {
      written.push(minutes);
      await store.refusalCounts.write(minutes);
    };
    const now = new Date();
    counts.add({ id, owner }, told, now);
    await counts.store(counts.changed(), write);
    counts.add({ id, owner }, told, now, 4);
    await counts.store(counts.changed(), write);
    for (const minutes of [...written, ...written]) await store.refusalCounts.write(minutes);
    expect(await totals()).toMatchObject([{ ...told, count: 5, firstAt: now, lastAt: now }]);
  });

  it('tell as many reasons apart as there is room for, those of each owner in its share', () => {
    const counts = createCounts(80);
    const add = (id: string, from: string, reasons: number) => {
      for (let n = 0; n < reasons; n++)
        counts.add({ id, owner: from }, { path: `/${n}`, keyword: 'type', message: 'no' }, new Date(), n + 1);
    };
    const flooded = Array.from({ length: 30 }, () => new ObjectId().toHexString());
    for (const id of flooded) add(id, 'one', 50);
    const id = new ObjectId().toHexString();
    add(id, owner, 30);
    for (const each of flooded) add(each, 'one', 50);
    const changed = counts.changed();
    const apart = (of: string) =>
      changed
        .filter(({ minute }) => minute.id === of)
        .flatMap(({ counts: { reasons } }) => reasons)
        .filter(({ keyword }) => keyword !== 'other').length;
    expect(apart(id)).toBe(30);
    expect(flooded.reduce((sum, each) => sum + apart(each), 0)).toBeLessThanOrEqual(50);
    const total = (n: number) => (n * (n + 1)) / 2;
    for (const { minute, counts: counted } of changed) {
      const all = minute.id === id ? total(30) : 2 * total(50);
      expect(counted.total).toBe(all);
      expect(counted.reasons.reduce((sum, { count }) => sum + count, 0)).toBe(all);
    }
  });

  it('go on in the minute that is in memory where there is no room for another', async () => {
    const { store, id, totals } = await begin();
    const counts = createCounts(3);
    const other = new ObjectId().toHexString();
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
    for (let minute = 0; minute < 10; minute++)
      counts.add({ id, owner }, { path: `/${minute}`, keyword: 'type', message: 'no' }, at(minute));
    counts.add({ id: other, owner }, { path: '', keyword: 'type', message: 'no' }, at(0));
    const changed = counts.changed();
    expect(changed).toHaveLength(4);
    await counts.store(changed, store.refusalCounts.write);
    expect((await totals()).reduce((sum, { count }) => sum + count, 0)).toBe(10);
    expect((await store.refusalCounts.totals(other, {}, 10)).map(({ count }) => count)).toEqual([1]);
  });
});
