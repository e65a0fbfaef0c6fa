import type { Binary, Db } from 'mongodb';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../support/cuttable-proxy.ts';
import {
  expectedCsv,
  expectSwept,
  exportableApplication,
  exportClient,
  fileOf,
  fill,
  firstDifference,
  numbersIn,
  sha256,
} from '../support/export-client.ts';
import { openStore, ownDatabase, throughProxy } from '../support/own-database.ts';
import { startSluice, until } from '../support/sluice.ts';
import { createWorkerProcess, type WorkerProcess } from '../support/worker-process.ts';

/** How often the worker that has the job is killed. */
const kills = Number(process.env.KILLS ?? 3);
/** Enough that there is something left to write after each. */
const entries = 1_000 * Math.max(kills, 3);
const textLength = 6_000;
/** A lease, or the queue's lock and some of its looks, on a busy machine. */
const takeoverMs = 60_000;

/**
 * An API, a filled application, and two export workers that are processes. Each has a proxy, so that the worker that has
 * the job is amid it when it is stopped, however long this process takes.
 */
async function start(count: number) {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const sluice = await startSluice({ workers: false, env: { MONGODB_URL } });
  onTestFinished(sluice.stop);
  const store = openStore(MONGODB_URL);
  const { token } = await sluice.owner();
  const { domain, id: application } = await exportableApplication(sluice, store, token);
  await fill(store, application, count, textLength);
  const { hostname, port } = new URL(inject('mongodbUrl'));
  async function startWorker() {
    const proxy = await createCuttableProxy({ host: hostname, port: Number(port || 27017) });
    onTestFinished(proxy.close);
    const env = { ...sluice.env, MONGODB_URL: throughProxy(MONGODB_URL, proxy) };
    return Object.assign(createWorkerProcess('export-worker', env), { proxy });
  }
  const workers = await Promise.all([startWorker(), startWorker()]);
  const claims = () =>
    workers
      .flatMap(({ lines }) => lines.filter(({ event }) => event === 'export.began'))
      .sort((one, other) => (one.fence as number) - (other.fence as number));

  async function holderOf(id: string) {
    const fence = (await store.jobs.get(id))?.fence;
    const isHolder = ({ lines }: WorkerProcess) =>
      lines.some((line) => line.event === 'export.began' && line.fence === fence);
    await until(async () => workers.some(isHolder));
    return workers.find(isHolder) as (typeof workers)[number];
  }

  return { db, store, domain, workers, claims, holderOf, client: exportClient(sluice.url, token) };
}

interface Reading {
  ts: Date;
  appName: string;
  nreturned: number;
  command: { filter: { $and: { _id: Record<string, Binary> }[] } };
}

/** MongoDB writes down what workers read of the entries from now on. */
async function watchReadings(db: Db): Promise<() => Promise<Reading[]>> {
  await db.createCollection('system.profile', { capped: true, size: 64 * 1024 ** 2 });
  await db.command({ profile: 1, filter: { ns: `${db.databaseName}.entries`, 'command.find': 'entries' } });
  onTestFinished(async () => void (await db.command({ profile: 0 })));
  return () =>
    db
      .collection<Reading>('system.profile')
      .find({ appName: `sluice-export-worker/${db.databaseName}` })
      .sort({ ts: 1 })
      .toArray();
}

it(
  'an export whose workers are killed again and again has every entry once, and begins behind what was committed',
  async ({ annotate }) => {
    const { db, store, domain, workers, claims, holderOf, client } = await start(entries);
    const expected = await expectedCsv(db);
    const readings = await watchReadings(db);
    // In each turn a part is committed, and the next is on its way.
    const stallSecond = ({ proxy }: (typeof workers)[number]) => proxy.stallWhenSent('$push', 1);
    const stalled = workers.map(stallSecond);
    await Promise.all(workers.map((worker) => worker.start()));
    const id = await client.create(domain);
    const done = async () => (await store.jobs.get(id))?.done as number;

    let before = 0;
    for (let kill = 0; kill < kills; kill++) {
      await until(async () => stalled.some(({ left }) => left === 0), takeoverMs);
      expect(await done()).toBeGreaterThan(before);
      const holder = await holderOf(id);
      // The last one that takes the job ends it.
      const isLast = kill + 1 === kills;
      if (isLast) for (const { proxy } of workers) proxy.stallWhenSent('$push', Number.POSITIVE_INFINITY);
      holder.kill();
      await holder.gone();
      before = await done();
      expect([kill, (await store.jobs.get(id))?.state]).toEqual([kill, 'active']);
      // What it had sent is gone with it.
      await holder.proxy.cut();
      await holder.proxy.restore();
      await holder.start();
      if (!isLast) stalled[workers.indexOf(holder)] = stallSecond(holder);
    }
    const job = await client.over(domain, id, takeoverMs);
    expect(job).toMatchObject({ state: 'completed', progress: { done: entries, total: entries } });

    const file = await client.file(domain, id);
    expect(numbersIn(file)).toEqual(Array.from({ length: entries }, (_, n) => n));
    expect(firstDifference(file, expected)).toBeUndefined();
    const rows = expected.split('\r\n');
    expect(job.file).toMatchObject({
      rows: entries,
      bytes: Buffer.byteLength(expected),
      sha256: sha256(expected),
      firstCreatedAt: rows[1]?.split(',')[0],
      lastCreatedAt: rows.at(-2)?.split(',')[0],
    });
    await expectSwept(db, store, id);

    // Every kill made another worker take the job, and it found more done than the one before.
    const begun = claims();
    expect(begun).toHaveLength(kills + 1);
    expect(begun.map((claim) => claim.done)).toEqual(
      [...new Set(begun.map((claim) => claim.done as number))].sort((a, b) => a - b),
    );
    // What MongoDB was asked for by each: nothing that had been committed before.
    const keys = await db
      .collection<{ _id: Binary }>('entries')
      .find()
      .project<{ _id: Binary }>({ _id: 1 })
      .sort({ _id: 1 })
      .toArray();
    const all = await readings();
    const beganAt = (place: number): number => begun[place]?.time ?? Number.POSITIVE_INFINITY;
    const again: number[] = [];
    for (const [place, claim] of begun.entries()) {
      const mine = all.filter(
        ({ ts }) => ts.getTime() >= beganAt(place) && ts.getTime() < beganAt(place + 1),
      );
      expect(mine.length).toBeGreaterThan(0);
      const committed = claim.done === 0 ? undefined : keys[(claim.done as number) - 1]?._id;
      const after = mine[0]?.command.filter.$and.find(({ _id }) => _id.$gt)?._id.$gt;
      expect(after?.toString('hex')).toBe(committed?.toString('hex'));
      const read = mine.reduce((sum, { nreturned }) => sum + nreturned, 0);
      const written = (begun[place + 1]?.done ?? entries) - (claim.done as number);
      again.push(read - written);
    }
    expect(again.at(-1)).toBe(0);
    expect(again.every((count) => count >= 0)).toBe(true);
    await annotate(
      `${kills} kills; ${again.reduce((sum, count) => sum + count)} of ${entries} entries were read again: ${again.join(', ')}`,
    );
  },
  60_000 + kills * takeoverMs,
);

it('a worker that wakes up after another completed its job changes nothing, and leaves nothing behind', async () => {
  const { db, store, domain, workers, claims, holderOf, client } = await start(2_000);
  const [one, other] = workers;
  const stalled = one.proxy.stallWhenSent('$push', 1);
  await one.start();
  const id = await client.create(domain);
  await until(async () => stalled.left === 0);
  one.halt();
  await one.proxy.restore();
  expect(await holderOf(id)).toBe(one);
  expect((await store.jobs.get(id))?.state).toBe('active');
  await other.start();
  expect((await client.over(domain, id, takeoverMs)).state).toBe('completed');
  const record = await store.jobs.get(id);
  const file = await fileOf(store, id);
  expect(sha256(file)).toBe(record?.manifest?.sha256);

  one.goOn();
  await until(async () => one.lines.some(({ event }) => event === 'export.lost'));
  await expectSwept(db, store, id);
  expect(await store.jobs.get(id)).toEqual(record);
  expect(sha256(await fileOf(store, id))).toBe(record?.manifest?.sha256);
  expect(claims().map(({ fence }) => fence)).toEqual([1, 2]);
}, 120_000);
