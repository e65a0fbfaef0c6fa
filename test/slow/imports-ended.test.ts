import { createHash } from 'node:crypto';
import { startIngestWorker } from '@sluice/ingest-worker/start.ts';
import { loadIngestWorkerConfig } from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { createLineKeys } from '@sluice/store/entries/entry-id.ts';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../support/cuttable-proxy.ts';
import { importClient } from '../support/import-client.ts';
import { openStore, ownDatabase, throughProxy } from '../support/own-database.ts';
import { payloadOf } from '../support/payload-of.ts';
import { quickTimings } from '../support/quick-timings.ts';
import { quickPurges, startSluice, until } from '../support/sluice.ts';
import { ndjson, uploadClient } from '../support/upload-client.ts';

const log = createLogger('test', { level: process.env.TEST_LOG ?? 'silent', pretty: false });

/** An API without workers, and an application. */
async function begin(env: Record<string, string> = {}) {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const sluice = await startSluice({ workers: false, env: { MONGODB_URL, ...env } });
  onTestFinished(() => sluice.stop());
  const { token } = await sluice.owner();
  const domain = await sluice.application(token);
  const store = openStore(MONGODB_URL);
  const counts = async () => {
    const names = ['jobs', 'chunks', 'parts', 'entries'];
    const all = await Promise.all(names.map((name) => db.collection(name).countDocuments({})));
    return Object.fromEntries(names.map((name, at) => [name, all[at]]));
  };
  async function work(more: Record<string, string> = {}) {
    const worker = await startIngestWorker(
      loadIngestWorkerConfig({ ...sluice.env, ...more }),
      log,
      quickTimings,
    );
    onTestFinished(() => worker.stop());
  }
  async function start(body: string) {
    const { status, body: answer } = await importClient(sluice, token).start(domain, body);
    expect(status).toBe(202);
    return answer.data.id as string;
  }
  return { db, sluice, token, domain, store, counts, work, start, client: importClient(sluice, token) };
}

const { hostname, port } = new URL(inject('mongodbUrl'));
const lines = (count: number) => ndjson(Array.from({ length: count }, (_, n) => ({ n, text: `line ${n}` })));
const nothing = { jobs: 0, chunks: 0, parts: 0, entries: 0 };
const isNothing = (counts: object) => Object.values(counts).every((count) => count === 0);

describe('an import that nobody wants any more', () => {
  it('is cancelled once the chunk under way is stored, and what is left of it goes when nobody can be writing', async () => {
    const { db, sluice, token, domain, store, counts, work, start, client } = await begin();
    const count = 20_000;
    const id = await start(lines(count));
    const proxy = await createCuttableProxy({ host: hostname, port: Number(port || 27017) });
    onTestFinished(proxy.close);
    // In the third of four chunks.
    const stalled = proxy.stallWhenSent('line 12500');
    const MONGODB_URL = throughProxy(sluice.env.MONGODB_URL as string, proxy);
    await work({ MONGODB_URL, WORKER_CONCURRENCY: '1' });
    await until(async () => stalled.left === 0);
    expect((await store.jobs.get(id))?.done).toBeGreaterThan(0);
    const path = `/applications/${domain}/imports/${id}`;
    for (const _ of [1, 2]) {
      const { status, body } = await sluice.request('DELETE', path, { token });
      expect([status, body.data.message]).toEqual([200, expect.stringContaining('is being cancelled')]);
    }
    expect((await sluice.request('GET', path, { token })).body.data.state).toBe('active');
    await proxy.restore();
    const job = await client.ended(domain, id);
    const { entries } = await counts();
    // Of the fourth chunk nothing was begun.
    expect(job).toMatchObject({
      state: 'cancelled',
      accepted: 15_000,
      rejected: 0,
      progress: { done: 15_000, total: count },
    });
    expect(entries).toBe(15_000);
    expect(job).not.toHaveProperty('file');
    await db.collection('chunks').updateMany({}, { $set: { leaseUntil: new Date(0) } });
    await until(async () => (await counts()).chunks === 0);
    expect((await counts()).entries).toBe(entries);
    expect((await sluice.request('DELETE', path, { token })).status).toBe(200);
    expect((await sluice.request('GET', path, { token })).status).toBe(404);
  });

  it('leaves nothing when its application is deleted', async () => {
    const { sluice, token, domain, store, counts, work, start } = await begin();
    const id = await start(lines(15_000));
    await work(quickPurges);
    await until(async () => ((await store.jobs.get(id))?.done ?? 0) > 0);
    const application = (await store.applications.byDomain(domain))?.id as string;
    await sluice.request('DELETE', `/applications/${domain}`, { token });
    await until(async () => (await store.applications.tombstone(application)) === undefined);
    expect(await counts()).toEqual(nothing);
  });

  it('tells what it stored when its application is deleted and restored', async () => {
    const run = await begin({ DELETION_GRACE: '1h' });
    const { sluice, token, domain, store, counts, work, start, client } = run;
    const id = await start(lines(40_000));
    await work({ WORKER_CONCURRENCY: '1' });
    await until(async () => ((await store.jobs.get(id))?.done ?? 0) > 0);
    const path = `/applications/${domain}`;
    expect((await sluice.request('DELETE', path, { token })).status).toBe(200);
    await until(async () => (await store.jobs.get(id))?.state === 'cancelled');
    expect((await sluice.request('POST', `${path}/restore`, { token })).status).toBe(200);
    const job = await client.ended(domain, id);
    const { entries } = await counts();
    expect(job).toMatchObject({ state: 'cancelled', accepted: entries, progress: { done: entries } });
  });

  it('is cancelled also while Redis is away', async () => {
    const at = new URL(inject('redisUrl'));
    const redis = await createCuttableProxy({ host: at.hostname, port: Number(at.port || 6379) });
    onTestFinished(redis.close);
    const REDIS_URL = `redis://127.0.0.1:${redis.port}`;
    const run = await begin({ REDIS_URL, REDIS_TIMEOUT: '1s' });
    const { sluice, token, domain, store, counts, work, start, client } = run;
    const id = await start(lines(40_000));
    await work({ WORKER_CONCURRENCY: '1' });
    await until(async () => ((await store.jobs.get(id))?.done ?? 0) > 0);
    redis.stall();
    const path = `/applications/${domain}/imports/${id}`;
    expect((await sluice.request('DELETE', path, { token })).status).toBe(200);
    const job = await client.ended(domain, id);
    const { entries } = await counts();
    expect(job).toMatchObject({ state: 'cancelled', accepted: entries, progress: { done: entries } });
    await redis.restore();
  });

  it('begins nothing of what waits when its application is deleted', async () => {
    const run = await begin({ DELETION_GRACE: '1h' });
    const { sluice, token, domain, store, counts, work, start } = run;
    const id = await start(lines(10));
    expect((await sluice.request('DELETE', `/applications/${domain}`, { token })).status).toBe(200);
    await work();
    await until(async () => (await store.jobs.get(id))?.state === 'cancelled');
    expect((await counts()).entries).toBe(0);
  });

  it('is removed when the API that took its file is dead', async () => {
    const { db, token, sluice, domain, store, counts, work } = await begin();
    const { id: application, owner } = (await store.applications.byDomain(domain)) as NonNullable<
      Awaited<ReturnType<typeof store.applications.byDomain>>
    >;
    const options = { format: 'ndjson', formulas: 'escape', lineLimit: 1_000 } as const;
    const job = await store.jobs.imports.create({ application, owner: owner.id, domain, options });
    const part = await store.parts.put(job.id, Buffer.from('x'));
    await store.chunks.add({ job: job.id, application, seq: 0, lines: 1, part, bytes: 1 });
    const list = await sluice.request('GET', `/applications/${domain}/imports`, { token });
    expect(list.body.data).toEqual([]);
    await work();
    await db.collection('jobs').updateMany({}, { $set: { leaseUntil: new Date(0) } });
    await until(async () => isNothing(await counts()));
    expect(await store.jobs.imports.receive(job, { total: 1, held: 1 })).toBeUndefined();
  });

  it('goes with its report when its time is over', async () => {
    const { counts, work, start } = await begin();
    await start('[]\n'.repeat(10));
    await work({ EXPORT_RETENTION: '0' });
    await until(async () => isNothing(await counts()));
  });
});

describe('an import fails, with a reason,', () => {
  it('when worker after worker began the same chunk and died', async () => {
    const { db, domain, work, start, client } = await begin();
    const id = await start(lines(10));
    await db.collection('chunks').updateMany({}, { $set: { attempts: 10 } });
    await work();
    const job = await client.ended(domain, id);
    expect(job).toMatchObject({ state: 'failed', error: '10 workers tried without success' });
  });

  it('when other entries are where its own should be', async () => {
    const { db, domain, store, work, start, client } = await begin();
    const id = await start(lines(10));
    const stamp = Date.now();
    const application = (await store.applications.byDomain(domain))?.id as string;
    await db.collection('chunks').updateMany({}, { $set: { stamp } });
    const keyOf = createLineKeys(application, stamp, createHash('sha256').update(id).digest());
    await store.entries.insertKeyed([{ key: keyOf(3), ...payloadOf({ other: true }) }]);
    await work();
    const job = await client.ended(domain, id);
    expect(job).toMatchObject({ state: 'failed', error: 'line 3 would take the place of another entry' });
  });

  it('when a piece of its file is gone', async () => {
    const { db, domain, work, start, client } = await begin();
    const id = await start(lines(10));
    await db.collection('parts').deleteMany({});
    await work();
    expect(await client.ended(domain, id)).toMatchObject({ state: 'failed', error: /missing/ });
  });
});

describe('an import is completed, each line stored once,', () => {
  it('when the queue forgot it', async () => {
    const { domain, sluice, token, work, start, client } = await begin({ REDIS_PREFIX: 'forgets' });
    const id = await start(lines(10));
    await work({ REDIS_PREFIX: 'remembers' });
    expect(await client.ended(domain, id)).toMatchObject({ state: 'completed', accepted: 10 });
    expect(await uploadClient(sluice, token).count(domain)).toBe(10);
  });

  it.each([
    ['does not get a command', 'cutWhenSent'],
    ['loses the answer to a command', 'loseAnswerTo'],
    ['is cut in the middle of a command', 'cutWhenAnswered'],
  ] as const)('when MongoDB %s', async (_what, fault) => {
    const { db, domain, sluice, work, start, client } = await begin();
    const proxy = await createCuttableProxy({ host: hostname, port: Number(port || 27017) });
    const count = 12_000;
    const id = await start(lines(count));
    const trap = fault === 'loseAnswerTo' ? proxy.loseAnswerTo('line 7500', 3) : proxy[fault]('line 7500');
    await work({ MONGODB_URL: throughProxy(sluice.env.MONGODB_URL as string, proxy), MONGODB_TIMEOUT: '2s' });
    onTestFinished(proxy.close);
    await until(async () => trap.left === 0);
    // It may be cut only after the command was seen.
    await until(async () => {
      await proxy.restore();
      return (await db.collection('jobs').countDocuments({ state: 'completed' })) === 1;
    });
    expect(await client.ended(domain, id)).toMatchObject({
      state: 'completed',
      progress: { done: count },
      accepted: count,
    });
    const stored = await db.collection('entries').find().sort({ _id: 1 }).toArray();
    expect(stored.map(({ payload }) => payload.n)).toEqual(Array.from({ length: count }, (_, n) => n));
  });
});

it('an import is not taken while Redis is away: nobody could work on it', async () => {
  const { sluice, token, domain, counts } = await begin({ REDIS_URL: 'redis://127.0.0.1:1' });
  const { status, headers, body } = await importClient(sluice, token).start(domain, lines(10));
  expect([status, body.error.message]).toEqual([503, 'imports cannot be taken now: the queue is away']);
  expect(headers.get('retry-after')).toMatch(/^\d+$/);
  expect(await counts()).toEqual(nothing);
});
