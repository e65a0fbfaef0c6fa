import { createHash } from 'node:crypto';
import { createLineKeys } from '@sluice/store/entries/entry-id.ts';
import { type Document, ObjectId } from 'mongodb';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../support/cuttable-proxy.ts';
import { importClient } from '../support/import-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { startQuickWorker } from '../support/quick-start.ts';
import { startSluice, until } from '../support/sluice.ts';
import { ndjson } from '../support/upload-client.ts';
import { createWorkerProcess } from '../support/worker-process.ts';

/** Three chunks. */
const count = 12_000;
const lines = (from: number, to: number) =>
  ndjson(Array.from({ length: to - from }, (_, i) => ({ n: from + i, text: `line ${from + i}` })));

/** An API without workers, and an import of so many lines that nobody works on yet. */
async function start(total = count, env: Record<string, string> = {}) {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const sluice = await startSluice({ workers: false, env: { MONGODB_URL, ...env } });
  onTestFinished(() => sluice.stop());
  const { token } = await sluice.owner();
  const schema = { type: 'object', properties: { n: { type: 'integer', not: { const: 7 } } } };
  const domain = await sluice.application(token, schema);
  const store = openStore(MONGODB_URL);
  const client = importClient(sluice, token);
  const id: string = (await client.start(domain, lines(0, total))).body.data.id;
  const path = `/applications/${domain}/imports/${id}`;
  return {
    ...{ total, db, sluice, store, token, domain, client, id, path },
    work: (REDIS_URL?: string) =>
      startQuickWorker('ingest-worker', { ...sluice.env, ...(REDIS_URL && { REDIS_URL }) }),
    chunks: db.collection('chunks'),
    application: (await store.applications.byDomain(domain))?.id as string,
    retry: () => sluice.request('POST', `${path}/retry`, { token }),
    ended: () => client.ended(domain, id),
    stored: async () => (await db.collection('entries').find().sort({ _id: 1 }).toArray()) as Document[],
  };
}

type Run = Awaited<ReturnType<typeof start>>;

/** Of a chunk that ten workers began in vain. Returns the worker that found it so. */
async function fail({ chunks, work, ended }: Run, redisUrl?: string): Promise<{ stop(): Promise<void> }> {
  await chunks.updateOne({ seq: 1 }, { $set: { attempts: 10 } });
  const worker = await work(redisUrl);
  expect(await ended()).toMatchObject({ state: 'failed', error: '10 workers tried without success' });
  return worker;
}

/** Line 8 alone, with number 7, is refused. */
async function expectAll({ db, total, ended, client, id, stored }: Run): Promise<void> {
  const job = await ended();
  expect(job).toMatchObject({
    state: 'completed',
    progress: { done: total, total },
    accepted: total - 1,
    rejected: 1,
  });
  expect(job).not.toHaveProperty('error');
  const numbers = (await stored()).flatMap(({ payload }) => ('n' in payload ? [payload.n] : []));
  const due = Array.from({ length: total }, (_, n) => n).filter((n) => n !== 7);
  expect(numbers.length).toBe(due.length);
  expect(numbers.sort((a, b) => a - b)).toEqual(due);
  expect((await client.report(id)).map(({ line }) => line)).toEqual([8]);
  await until(async () => (await db.collection('chunks').countDocuments()) === 0);
}

/** As when nobody can be writing any more: their leases have ended long ago. Resolves when a sweep has seen it. */
async function settle({ chunks, store, application }: Run): Promise<void> {
  const isFree = { $expr: { $lte: ['$leaseUntil', '$$NOW'] } };
  await until(async () => {
    // Again and again: a worker may give a chunk back only now.
    await chunks.updateMany(isFree, { $set: { leaseUntil: new Date(0) } });
    return (await store.openSince(application)) === undefined;
  });
}

/** Puts an entry where the line will be stored, so that the import fails there. */
async function occupy({ chunks, store, application, id }: Run, seq: number, line: number): Promise<void> {
  const stamp = Date.now();
  await chunks.updateOne({ seq }, { $set: { stamp } });
  const keyOf = createLineKeys(application, stamp, createHash('sha256').update(id).digest());
  await store.entries.insertKeyed([{ key: keyOf(line), json: jsonOf({ other: true }) }]);
}

describe('an import that failed is retried, and stores each line once,', () => {
  it('in the order of the file; of two retries at once one is taken', async () => {
    const run = await start();
    const worker = await fail(run);
    await worker.stop();
    const before = await run.store.jobs.get(run.id);
    expect(before?.expiresAt?.getTime()).toBeGreaterThan(Date.now() + 6 * 86_400_000);
    const answers = await Promise.all([run.retry(), run.retry()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    const [taken] = answers.sort((a, b) => a.status - b.status);
    const { state, progress, ...job } = taken?.body.data ?? {};
    expect([state, progress.total]).toEqual(['waiting', count]);
    for (const field of ['error', 'finishedAt']) expect(job).not.toHaveProperty(field);
    const record = await run.store.jobs.get(run.id);
    expect(record).toMatchObject({ attempts: 0, fence: (before?.fence as number) + 1 });
    expect(record).not.toHaveProperty('expiresAt');
    const retried = async () => {
      const { body } = await run.sluice.request('GET', '/audit', { token: run.token });
      return body.data.result.filter(({ action }: { action: string }) => action === 'import.retried');
    };
    await expect
      .poll(retried, { timeout: 60_000 })
      .toEqual([expect.objectContaining({ application: run.domain, job: run.id })]);

    await run.work();
    await run.ended();
    const inOrder = (await run.stored()).map(({ payload }) => payload.n);
    expect(inOrder.findIndex((n, at) => at > 0 && n <= inOrder[at - 1])).toBe(-1);
    await expectAll(run);
    const { status, body } = await run.retry();
    expect([status, body.error.name]).toEqual([409, 'ResourceConflictError']);
    expect(body.error.message).toContain('it is completed, and only a failed one can be retried');
  }, 120_000);

  it('also of a chunk of which some lines were stored long before', async () => {
    const run = await start();
    // Two commands of 2,000 lines of its chunk are stored before it.
    await occupy(run, 1, 9_500);
    await run.work();
    expect(await run.ended()).toMatchObject({ state: 'failed', error: /^line 9500 would take the place/ });
    const part = (await run.stored()).filter(({ payload }) => payload.n >= 5_000 && payload.n < 10_000);
    expect([part.length > 1_000, part.length < 5_000]).toEqual([true, true]);
    await settle(run);
    expect((await run.retry()).status).toBe(202);
    await expectAll(run);
    const keys = new Set((await run.stored()).map(({ _id }) => _id.toString('hex')));
    expect(part.filter(({ _id }) => !keys.has(_id.toString('hex')))).toEqual([]);
  }, 120_000);

  it('also when it fails again for the same reason, until that is mended', async () => {
    const run = await start();
    await occupy(run, 2, 10_100);
    await run.work();
    for (const _ of [1, 2]) {
      expect(await run.ended()).toMatchObject({ state: 'failed', error: /^line 10100 would take/ });
      expect((await run.retry()).status).toBe(202);
    }
    expect(await run.ended()).toMatchObject({ state: 'failed' });
    await run.db.collection('entries').deleteOne({ 'payload.other': true });
    expect((await run.retry()).status).toBe(202);
    await expectAll(run);
  }, 120_000);

  it('and a worker that had a chunk of it before, and wakes up, changes nothing', async () => {
    const run = await start(100_000);
    const { chunks, store, id } = run;
    const one = createWorkerProcess('ingest-worker', run.sluice.env);
    await one.start();
    await until(async () => ((await store.jobs.get(id))?.done ?? 0) > 0);
    // Between two chunks it has none.
    await until(async () => {
      one.halt();
      if ((await chunks.countDocuments({ state: 'open', leaseUntil: { $gt: new Date() } })) > 0) return true;
      one.goOn();
      return false;
    });
    await chunks.updateMany({ state: 'open', leaseUntil: { $exists: false } }, { $set: { attempts: 10 } });
    await run.work();
    expect(await run.ended()).toMatchObject({ state: 'failed' });
    expect((await run.retry()).status).toBe(202);
    await until(async () => (await store.jobs.get(id))?.state === 'active');
    one.goOn();
    await expectAll(run);
  }, 120_000);

  it('while Redis is away', async () => {
    const { hostname, port } = new URL(inject('redisUrl'));
    const redis = await createCuttableProxy({ host: hostname, port: Number(port || 6379) });
    onTestFinished(redis.close);
    const run = await start(count, { REDIS_URL: `redis://127.0.0.1:${redis.port}`, REDIS_TIMEOUT: '1s' });
    await fail(run, inject('redisUrl'));
    await redis.stall();
    expect((await run.retry()).status).toBe(202);
    await expectAll(run);
  }, 120_000);
});

it('an import that failed counts in IMPORT_QUOTA and keeps its chunks until it is removed', async () => {
  const run = await start(count, { IMPORT_QUOTA: '1KiB' });
  await fail(run);
  const refused = await run.client.start(run.domain, lines(0, 10));
  expect([refused.status, refused.body.error.message]).toEqual([
    429,
    expect.stringContaining('IMPORT_QUOTA'),
  ]);
  // As if nobody had been writing for long: a sweep leaves them all the same.
  await settle(run);
  expect(await run.chunks.countDocuments({ state: 'open' })).toBeGreaterThan(0);
  const remove = await run.sluice.request('DELETE', run.path, { token: run.token });
  expect(remove.status).toBe(200);
  expect((await run.retry()).status).toBe(404);
  await until(async () => (await run.chunks.countDocuments()) === 0);
  expect(await run.db.collection('parts').countDocuments({ job: new ObjectId(run.id) })).toBe(0);
  expect((await run.client.start(run.domain, lines(0, 10))).status).toBe(202);
}, 120_000);
