import { ObjectId } from 'mongodb';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../support/cuttable-proxy.ts';
import {
  expectedCsv,
  expectSwept,
  exportableApplication,
  exportClient,
  fileOf,
  fill,
  recordExport,
  recordedParts,
  sha256,
  storedParts,
} from '../support/export-client.ts';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { startQuickWorker } from '../support/quick-start.ts';
import { startSluice, until } from '../support/sluice.ts';

/** Enough for several parts. */
const some = 1_500;

/** An API without workers, and an application with so many entries. */
async function start(count: number, env: Record<string, string> = {}) {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const sluice = await startSluice({ workers: false, env: { MONGODB_URL, ...env } });
  onTestFinished(sluice.stop);
  const store = openStore(MONGODB_URL);
  const { token } = await sluice.owner();
  const application = await exportableApplication(sluice, store, token);
  const { domain } = application;
  await fill(store, application.id, count, 6_000);
  const retry = (id: string) =>
    sluice.request('POST', `/applications/${domain}/exports/${id}/retry`, { token });
  return {
    count,
    db,
    sluice,
    store,
    token,
    application,
    domain,
    retry,
    work: () => startQuickWorker('export-worker', sluice.env),
    client: exportClient(sluice.url, token),
  };
}

/** The newest entry has a field that was never recorded, for which no column is made. Returns how to mend it. */
async function breakNewest({ db, count }: Pick<Run, 'db' | 'count'>): Promise<() => Promise<void>> {
  const newest = { 'payload.n': count - 1 };
  await db.collection('entries').updateMany(newest, { $set: { 'payload.unheard': 'of' } });
  return async () =>
    void (await db.collection('entries').updateMany(newest, { $unset: { 'payload.unheard': 1 } }));
}

type Run = Awaited<ReturnType<typeof start>>;

/** The job of an export that has failed at its end, and its worker. */
async function fail({ client, domain, work, ...run }: Run) {
  const mend = await breakNewest(run);
  const worker = await work();
  const id = await client.create(domain);
  expect(await client.over(domain, id)).toMatchObject({ state: 'failed', error: /unheard/ });
  return { id, mend, worker };
}

async function expectWhole({ db, count, client, domain, store }: Run, id: string): Promise<void> {
  const job = await client.over(domain, id);
  const expected = sha256(await expectedCsv(db));
  expect(job).toMatchObject({ state: 'completed', file: { rows: count, sha256: expected } });
  expect(job).not.toHaveProperty('error');
  expect(sha256(await fileOf(store, id))).toBe(expected);
  await expectSwept(db, store, id);
}

describe('an export that failed is retried', () => {
  it('and goes on behind what it had, to every entry once; of two retries at once one is taken', async () => {
    const run = await start(some);
    const { id, mend, worker } = await fail(run);
    const before = await run.store.jobs.get(id);
    const parts = (await run.store.jobs.partsOf(id)).map((part) => part.id);
    expect(parts.length).toBeGreaterThan(2);
    expect(await storedParts(run.db, id)).toEqual(expect.arrayContaining(parts));
    await mend();
    await worker.stop();
    const answers = await Promise.all([run.retry(id), run.retry(id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    const [taken, refused] = answers.sort((a, b) => a.status - b.status) as [Answer, Answer];
    expect(taken.body.data).toMatchObject({ id, state: 'waiting', progress: { done: before?.done } });
    for (const field of ['error', 'finishedAt']) expect(taken.body.data).not.toHaveProperty(field);
    expect(refused.body.error).toMatchObject({ name: 'ResourceConflictError', message: /is waiting/ });
    const record = await run.store.jobs.get(id);
    expect(record).toMatchObject({ attempts: 0, fence: (before?.fence as number) + 1 });
    const retried = async () => {
      const { body } = await run.sluice.request('GET', '/users/me/activity', { token: run.token });
      return body.data.result.filter(({ action }: { action: string }) => action === 'export.retried');
    };
    await expect
      .poll(retried, { timeout: 60_000 })
      .toEqual([expect.objectContaining({ application: run.domain, job: id })]);
    for (const field of ['expiresAt', 'isDefect', 'leaseUntil']) expect(record).not.toHaveProperty(field);

    await run.work();
    await expectWhole(run, id);
    expect((await run.store.jobs.partsOf(id)).slice(0, parts.length).map((part) => part.id)).toEqual(parts);
    expect((await run.retry(id)).body.error.message).toBe(
      `export ${id} cannot be retried: it is completed, and only a failed one can be retried`,
    );
  }, 120_000);

  it('from its begin, when a part of what it had is lost', async () => {
    const run = await start(some);
    const { id, mend } = await fail(run);
    const lost = (await recordedParts(run.store, id)).at(-2) as string;
    await run.db.collection('parts').deleteOne({ _id: new ObjectId(lost) });
    await mend();
    const { status, body } = await run.retry(id);
    expect([status, body.data.progress.done]).toEqual([202, 0]);
    await expectWhole(run, id);
  }, 120_000);

  it('while Redis is away, and is made all the same', async () => {
    const { hostname, port } = new URL(inject('redisUrl'));
    const redis = await createCuttableProxy({ host: hostname, port: Number(port || 6379) });
    onTestFinished(redis.close);
    const run = await start(10, { REDIS_URL: `redis://127.0.0.1:${redis.port}` });
    const mend = await breakNewest(run);
    await startQuickWorker('export-worker', { ...run.sluice.env, REDIS_URL: inject('redisUrl') });
    const id = await run.client.create(run.domain);
    expect(await run.client.over(run.domain, id)).toMatchObject({ state: 'failed' });
    await mend();
    await redis.cut();
    expect((await run.retry(id)).status).toBe(202);
    expect(await run.client.over(run.domain, id)).toMatchObject({ state: 'completed', file: { rows: 10 } });
  }, 120_000);
});

type Answer = Awaited<ReturnType<Run['retry']>>;

describe('a retry is refused', () => {
  it.each([
    ['waiting', async () => undefined],
    ['active', ({ store }: Run, id: string) => store.jobs.claim('export', id, 60_000)],
    ['cancelled', ({ store }: Run, id: string) => store.jobs.cancel(id, later())],
  ] as [string, (run: Run, id: string) => Promise<unknown>][])(
    'when the export is %s',
    async (state, make) => {
      const run = await start(1);
      const { id } = await recordExport(run.store, run.application);
      await make(run, id);
      const { status, body } = await run.retry(id);
      expect([status, body.error.name]).toEqual([409, 'ResourceConflictError']);
      expect(body.error.message).toContain(`it is ${state}, and only a failed one`);
      expect((await run.store.jobs.get(id))?.state).toBe(state);
    },
  );

  it('when the export was streamed; nothing is kept of it', async () => {
    const run = await start(10);
    await breakNewest(run);
    await run.work();
    const path = `/applications/${run.domain}/export`;
    expect((await run.sluice.request('GET', path, { token: run.token })).status).toBe(400);
    const [{ id }] = await run.client.list(run.domain);
    const { status, body } = await run.retry(id);
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('it was streamed')]);
    await until(async () => (await storedParts(run.db, id)).length === 0);
  });

  it('when the owner has JOB_QUOTA unfinished ones, or the job or its application is gone', async () => {
    const run = await start(1, { JOB_QUOTA: '1' });
    const { id } = await recordExport(run.store, run.application);
    const { fence } = (await run.store.jobs.claim('export', id, 60_000)) ?? { fence: 0 };
    await run.store.jobs.fail(id, fence, { error: 'broken' }, later());
    const { id: another } = await recordExport(run.store, run.application);
    const refused = await run.retry(id);
    expect([refused.status, refused.body.error.message]).toEqual([429, expect.stringContaining('JOB_QUOTA')]);
    expect((await run.store.jobs.get(id))?.state).toBe('failed');
    await run.client.remove(run.domain, another);
    expect((await run.retry(new ObjectId().toHexString())).status).toBe(404);
    await run.sluice.request('DELETE', `/applications/${run.domain}`, { token: run.token });
    expect((await run.retry(id)).status).toBe(404);
    expect((await run.store.jobs.get(id))?.state).toBe('failed');
  });
});

const later = () => new Date(Date.now() + 3_600_000);

it('an export that failed is kept for EXPORT_RETENTION with what it has, and then goes', async () => {
  const run = await start(some);
  const { id } = await fail(run);
  expect((await storedParts(run.db, id)).length).toBeGreaterThan(0);
  const record = await run.store.jobs.get(id);
  const keptMs = (record?.expiresAt?.getTime() as number) - (record?.finishedAt?.getTime() as number);
  expect(Math.abs(keptMs - 7 * 86_400_000)).toBeLessThan(60_000);
  const expired = { $set: { expiresAt: new Date(Date.now() - 1) } };
  await run.db.collection('jobs').updateOne({ _id: new ObjectId(id) }, expired);
  await until(async () => (await run.client.job(run.domain, id)) === undefined);
  await until(async () => (await storedParts(run.db, id)).length === 0);
}, 120_000);
