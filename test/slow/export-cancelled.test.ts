import { expect, inject, it, onTestFinished } from 'vitest';
import { createCurl, cutOff } from '../support/curl.ts';
import { createCuttableProxy } from '../support/cuttable-proxy.ts';
import { exportableApplication, exportClient, fill, storedParts } from '../support/export-client.ts';
import { openStore, ownDatabase, throughProxy } from '../support/own-database.ts';
import { startSluice, until } from '../support/sluice.ts';
import { createWorkerProcess } from '../support/worker-process.ts';

/** Six parts. */
const entries = 2_000;
/** More than the sockets' buffers hold. */
const many = Number(process.env.ENTRIES ?? 6_000);

/** The worker's way to MongoDB is a proxy, so that it can be amid a job for as long as this process takes. */
async function start(count = entries) {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const sluice = await startSluice({ workers: false, env: { MONGODB_URL } });
  onTestFinished(sluice.stop);
  const store = openStore(MONGODB_URL);
  const { token } = await sluice.owner();
  const { domain, id: application } = await exportableApplication(sluice, store, token);
  await fill(store, application, count, 6_000);
  const { hostname, port } = new URL(inject('mongodbUrl'));
  const proxy = await createCuttableProxy({ host: hostname, port: Number(port || 27017) });
  onTestFinished(proxy.close);
  const env = { ...sluice.env, MONGODB_URL: throughProxy(MONGODB_URL, proxy) };
  const worker = createWorkerProcess('export-worker', env);
  await worker.start();
  const client = exportClient(sluice.url, token);
  const curl = await createCurl(token);
  return { db, store, sluice, proxy, worker, client, curl, domain, application };
}

it('the worker of a cancelled export commits no further part, and all of its parts go', async () => {
  const { db, store, proxy, worker, client, domain } = await start();
  const stalled = proxy.stallWhenSent('$push', 1);
  const id = await client.create(domain);
  await until(async () => stalled.left === 0);
  expect((await client.remove(domain, id)).status).toBe(200);
  const answered = await store.jobs.get(id);
  expect(answered?.state).toBe('cancelled');
  expect(answered?.done).toBeGreaterThan(0);
  await proxy.restore();
  await until(async () => worker.lines.some(({ event, job }) => event === 'export.lost' && job === id));
  await until(async () => (await storedParts(db, id)).length === 0);
  const after = await store.jobs.get(id);
  expect([after?.state, after?.done, after?.bytes]).toEqual(['cancelled', answered?.done, answered?.bytes]);
  expect(after?.done).toBeLessThan(entries);
  expect(worker.lines.filter(({ event }) => event === 'export.completed')).toEqual([]);
  expect(await client.job(domain, id)).not.toHaveProperty('file');
  // The worker is free for the next.
  const next = await client.over(domain, await client.create(domain));
  expect([next.state, next.file.rows]).toEqual(['completed', entries]);
  // A part that was on its way goes too.
  await until(async () => (await storedParts(db, id)).length === 0);
});

it('whoever reads the stream of an export that is cancelled does not take it for whole', async () => {
  const { db, store, sluice, worker, client, curl, domain, application } = await start(many);
  const streaming = curl(`${sluice.url}/api/applications/${domain}/export`, ['--limit-rate', '4M']);
  await until(async () => (await streaming.size()) > 0);
  const id = (await store.jobs.list(application, 'export'))[0]?.id as string;
  // Whether its worker is done or not, the reader is not.
  expect((await client.remove(domain, id)).status).toBe(200);
  expect(cutOff).toContain(await streaming.exit);
  await until(async () => worker.lines.some(({ event }) => /export\.(lost|completed)/.test(event)));
  await until(async () => (await storedParts(db, id)).length === 0);
});

it('a stream whose client goes away is written no further', async () => {
  const { db, store, sluice, proxy, client, curl, domain, application, worker } = await start();
  const stalled = proxy.stallWhenSent('$push', 1);
  const streaming = curl(`${sluice.url}/api/applications/${domain}/export`);
  await until(async () => (await store.jobs.list(application, 'export')).length === 1);
  const id = (await store.jobs.list(application, 'export'))[0]?.id as string;
  await until(async () => stalled.left === 0);
  streaming.leave();
  await until(async () => (await store.jobs.get(id))?.state === 'cancelled');
  await proxy.restore();
  await until(async () => worker.lines.some(({ event }) => event === 'export.lost'));
  await until(async () => (await storedParts(db, id)).length === 0);
  expect((await client.list(domain)).map(({ state }: { state: string }) => state)).toEqual(['cancelled']);
});

it.each(['is cancelled', 'goes with its application'])(
  'a stream that %s before it begins is refused with the reason',
  async (what) => {
    const { url: MONGODB_URL } = await ownDatabase();
    const sluice = await startSluice({
      workers: false,
      env: { MONGODB_URL },
      timings: { exportWaitMs: 60_000 },
    });
    onTestFinished(sluice.stop);
    const store = openStore(MONGODB_URL);
    const { token } = await sluice.owner();
    const { domain, id: application } = await exportableApplication(sluice, store, token);
    const streaming = sluice.request('GET', `/applications/${domain}/export`, { token });
    await until(async () => (await store.jobs.list(application, 'export')).length === 1);
    const id = (await store.jobs.list(application, 'export'))[0]?.id as string;
    const gone = what === 'is cancelled' ? `${domain}/exports/${id}` : domain;
    expect((await sluice.request('DELETE', `/applications/${gone}`, { token })).status).toBe(200);
    // As the worker does that purges the application.
    if (gone === domain) await store.jobs.remove(id);
    const { status, body } = await streaming;
    expect([status, body.error.name]).toEqual([409, 'ResourceConflictError']);
    expect(body.error.message).toContain('was cancelled, or its application deleted');
  },
);
