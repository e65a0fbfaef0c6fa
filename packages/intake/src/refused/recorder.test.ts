import { setImmediate as breathe } from 'node:timers/promises';
import type { ErrorDetail } from '@sluice/shared/errors.ts';
import { addMissed, lossKinds, type Missed } from '@sluice/store/refused/losses.ts';
import { wholeMinutes } from '@sluice/store/refused/refusal-counts.ts';
import fc from 'fast-check';
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
    expect([...counted.values()]).toEqual(flooded.map(() => ({ refused: lines, lost: {} })));
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
    counts.add({ id, owner }, told, now, { times: 4 });
    await counts.store(counts.changed(), write);
    for (const minutes of [...written, ...written]) await store.refusalCounts.write(minutes);
    expect(await totals()).toMatchObject([{ ...told, count: 5, firstAt: now, lastAt: now }]);
  });

  it('tell as many reasons apart as there is room for, those of each owner in its share', () => {
    const counts = createCounts(80);
    const add = (id: string, from: string, reasons: number) => {
      for (let n = 0; n < reasons; n++)
        counts.add({ id, owner: from }, { path: `/${n}`, keyword: 'type', message: 'no' }, new Date(), {
          times: n + 1,
        });
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

  it('of keys, reasons and losses are what was noted, whatever is written late, twice or not at all', async () => {
    const { store, id: other } = await begin();
    const kind = fc.constantFrom(...lossKinds);
    const key = fc.option(fc.integer({ min: 0, max: 150 }).map(String), { nil: undefined });
    const step = fc.oneof(
      fc.record({ reason: fc.integer({ min: 0, max: 120 }), key, times: fc.integer({ min: 1, max: 9 }) }),
      fc.record({ kind, key, times: fc.integer({ min: 1, max: 30 }) }),
      fc.record({ write: fc.constantFrom('stored', 'failed', 'unanswered', 'late') }),
      fc.record({ minutes: fc.integer({ min: 1, max: 3 }) }),
    );
    const property = fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const id = new ObjectId().toHexString();
      const counts = createCounts(90);
      let now = Date.UTC(2026, 0, 1);
      const noted: Missed = { refused: 0, lost: {} };
      const late: Parameters<typeof store.refusalCounts.write>[0][] = [];
      for (const step of [...steps, { write: 'stored' as const }]) {
        if ('minutes' in step) now += step.minutes * 60_000;
        else if ('reason' in step) {
          const told = { path: `/${step.reason}`, keyword: 'type', message: 'no' };
          counts.add({ id, owner }, told, new Date(now), step);
          noted.refused += step.times;
        } else if ('kind' in step) {
          for (let n = 0; n < step.times; n++)
            counts.addLoss({ id, owner }, step.kind, new Date(now), step.key);
          addMissed(noted, { refused: 0, lost: { [step.kind]: step.times } });
        } else {
          const write = async (minutes: (typeof late)[0]) => {
            if (step.write === 'late') late.push(minutes);
            else if (step.write !== 'failed') await store.refusalCounts.write(minutes);
            if (step.write !== 'stored') throw new Error('no answer');
          };
          await counts.store(counts.changed(), write).catch(() => {});
        }
      }
      for (const minutes of late) await store.refusalCounts.write(minutes);
      const period = { from: new Date(0), to: new Date(now + 60_000) };
      const [minutes, keys, reasons, since] = await Promise.all([
        store.refusalCounts.byMinute(id, period),
        store.refusalCounts.byKey(id, period),
        store.refusalCounts.totals(id, {}, 10_000),
        store.refusalCounts.since([id, other], new Date(0)),
      ]);
      const sum = (all: Missed[]) => {
        const total: Missed = { refused: 0, lost: {} };
        for (const each of all) addMissed(total, each);
        return total;
      };
      expect(sum(minutes)).toEqual(noted);
      expect(sum(keys)).toEqual(noted);
      expect(since.get(id) ?? { refused: 0, lost: {} }).toEqual(noted);
      const ofReason = (wanted: string | undefined) =>
        reasons.reduce((all, { reason, count }) => all + (reason === wanted ? count : 0), 0);
      expect(ofReason(undefined)).toBe(noted.refused);
      expect(ofReason('not_json')).toBe(noted.lost.not_json ?? 0);
      expect(ofReason('too_large')).toBe(noted.lost.too_large ?? 0);
    });
    await fc.assert(property, { numRuns: 25 });
  });

  it('tell a hundred keys of a minute apart', async () => {
    const { store, id } = await begin();
    const counts = createCounts();
    const now = new Date();
    for (let n = 0; n < 150; n++) {
      counts.add({ id, owner }, { path: '', keyword: 'type', message: 'no' }, now, { key: `${n}` });
      counts.addLoss({ id, owner }, 'rate', now, `${n}`);
    }
    counts.addLoss({ id, owner }, 'no_key', now);
    await counts.store(counts.changed(), store.refusalCounts.write);
    const period = wholeMinutes({ from: now, to: new Date(now.getTime() + 1) }) as { from: Date; to: Date };
    const found = await store.refusalCounts.byKey(id, period);
    expect(found).toHaveLength(101);
    expect(found).toContainEqual({ key: '99', refused: 1, lost: { rate: 1 } });
    expect(found).toContainEqual({ key: null, refused: 50, lost: { rate: 50, no_key: 1 } });
  });
});
