import { ObjectId } from 'mongodb';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createCurl, cutOff } from '../support/curl.ts';
import { createCuttableProxy } from '../support/cuttable-proxy.ts';
import {
  expectedCsv,
  exportableApplication,
  exportClient,
  fill,
  recordedParts,
  sha256,
} from '../support/export-client.ts';
import { openStore, ownDatabase, throughProxy } from '../support/own-database.ts';
import { startQuickWorker } from '../support/quick-start.ts';
import { startSluice, until } from '../support/sluice.ts';
import { createWorkerProcess } from '../support/worker-process.ts';

/** More than the parts and the sockets' buffers that an API is ahead of a client, also when it is compressed. */
const large = { count: 8_000, textLength: 4_500 };
/** Six parts. */
const parts = { count: 2_000, textLength: 6_000 };
const few = { count: 10, textLength: 10 };
/** So that a client is amid the file for a while. */
const slowly = ['--limit-rate', '8M'];
/** Compressed it is a tenth. */
const slower = ['--limit-rate', '500K'];

async function proxied(url: string) {
  const { hostname, port } = new URL(inject('mongodbUrl'));
  const proxy = await createCuttableProxy({ host: hostname, port: Number(port || 27017) });
  onTestFinished(proxy.close);
  return { proxy, MONGODB_URL: throughProxy(url, proxy) };
}

/** An API whose way to MongoDB can be cut, and an application with entries. */
async function start({ count, textLength } = parts) {
  const { db, url } = await ownDatabase();
  const { proxy: apiProxy, MONGODB_URL } = await proxied(url);
  const env = { MONGODB_URL, MONGODB_TIMEOUT: '6s' };
  const sluice = await startSluice({ workers: false, env, timings: { exportWaitMs: 60_000 } });
  onTestFinished(sluice.stop);
  const store = openStore(url);
  const { token } = await sluice.owner();
  const { domain, id: application } = await exportableApplication(sluice, store, token);
  await fill(store, application, count, textLength);
  const curl = await createCurl(token);
  const base = `${sluice.url}/api/applications/${domain}`;
  const exports = async () => (await store.jobs.list(application, 'export')).map(({ id }) => id);

  return {
    count,
    db,
    store,
    domain,
    apiProxy,
    url,
    client: exportClient(sluice.url, token),
    /** Of workers whose way to MongoDB is not cut. */
    workerEnv: { ...sluice.env, MONGODB_URL: url, WORKER_CONCURRENCY: '1' },
    file: (id: string, args: string[] = [], path?: string) => curl(`${base}/exports/${id}/file`, args, path),
    async stream(args: string[] = []) {
      const earlier = await exports();
      const isNew = (id: string) => !earlier.includes(id);
      return {
        ...curl(`${base}/export`, args),
        /** The id of its job. */
        async job(): Promise<string> {
          await until(async () => (await exports()).some(isNew));
          return (await exports()).find(isNew) as string;
        },
      };
    },
    async over(id: string): Promise<string> {
      const state = async () => (await store.jobs.get(id))?.state as string;
      await until(async () => !['waiting', 'active'].includes(await state()));
      return state();
    },
  };
}

type Run = Awaited<ReturnType<typeof start>>;

/** Amid the download of a finished file. */
async function breakDownload({ client, domain, file, apiProxy }: Run, how: 'cut' | 'stall'): Promise<void> {
  const { id, ...job } = await client.over(domain, await client.create(domain));
  const broken = file(id, slowly);
  await until(async () => (await broken.size()) > 1_000_000);
  await apiProxy[how]();
  expect(cutOff).toContain(await broken.exit);
  const had = await broken.size();
  expect([had > 0, had < job.file.bytes]).toEqual([true, true]);

  await apiProxy.restore();
  await until(async () => (await client.job(domain, id))?.state === 'completed');
  const resumed = file(id, ['-f', '-C', '-'], broken.path);
  expect(await resumed.exit).toBe(0);
  expect(sha256(await resumed.bytes())).toBe(job.file.sha256);
  const again = file(id);
  expect(await again.exit).toBe(0);
  expect((await again.bytes()).equals(await resumed.bytes())).toBe(true);
}

/** Amid a streamed export. */
async function breakStream(run: Run, how: 'cut' | 'stall', isCompressed: boolean): Promise<void> {
  const { client, count, db, domain, stream, file, over, apiProxy } = run;
  const broken = await stream(isCompressed ? [...slower, '-H', 'Accept-Encoding: gzip'] : slowly);
  await until(async () => (await broken.size()) > 100_000);
  const id = await broken.job();
  await apiProxy[how]();
  // The API, which cannot reach the job, does not cancel it.
  expect(await over(id)).toBe('completed');
  expect(cutOff).toContain(await broken.exit);

  await apiProxy.restore();
  await until(async () => (await client.job(domain, id))?.state === 'completed');
  const { bytes, rows } = (await client.job(domain, id)).file;
  expect([bytes > (await broken.size()), rows]).toEqual([true, count]);
  const whole = isCompressed ? file(id, ['-f']) : file(id, ['-f', '-C', '-'], broken.path);
  expect(await whole.exit).toBe(0);
  expect(sha256(await whole.bytes())).toBe(sha256(await expectedCsv(db)));
}

it('when MongoDB goes away from the API, by a cut or a stall, a download fails and is resumed to the same bytes, and a stream fails but its job has the whole file', async () => {
  const run = await start(large);
  await startQuickWorker('export-worker', run.workerEnv);
  for (const how of ['cut', 'stall'] as const) {
    await breakDownload(run, how);
    await breakStream(run, how, how === 'cut');
  }
}, 240_000);

/** A worker that loses MongoDB when it commits its third part. */
async function startMortal({ url, workerEnv }: Run) {
  const { proxy, MONGODB_URL } = await proxied(url);
  const cut = proxy.cutWhenSent('$push', 2);
  await startQuickWorker('export-worker', { ...workerEnv, MONGODB_URL });
  onTestFinished(() => proxy.restore());
  return { isCut: () => until(async () => cut.left === 0), restore: proxy.restore };
}

it('when MongoDB goes away from the worker and comes back, a streamed export goes on to its end', async () => {
  const run = await start();
  const { db, stream, store } = run;
  const { isCut, restore } = await startMortal(run);
  const streaming = await stream();
  await isCut();
  const id = await streaming.job();
  expect(await store.jobs.get(id)).toMatchObject({ state: 'active' });
  expect(await store.jobs.partsOf(id)).toHaveLength(2);
  await restore();
  expect(await streaming.exit).toBe(0);
  expect(sha256(await streaming.bytes())).toBe(sha256(await expectedCsv(db)));
});

it('an export is taken over from a worker that has lost MongoDB, though it still has the queue', async () => {
  const run = await start();
  const { count, db, store, client, domain, workerEnv, file } = run;
  const { isCut } = await startMortal(run);
  const id = await client.create(domain);
  await isCut();
  expect(await store.jobs.partsOf(id)).toHaveLength(2);
  await startQuickWorker('export-worker', workerEnv);
  expect(await client.over(domain, id)).toMatchObject({ state: 'completed', file: { rows: count } });
  const whole = file(id);
  expect(await whole.exit).toBe(0);
  expect(sha256(await whole.bytes())).toBe(sha256(await expectedCsv(db)));
});

it('an export that fails midway breaks the stream, and its job says why', async () => {
  const { count, db, workerEnv, stream, over, client, domain } = await start();
  // The newest entry has a field that was never recorded: a defect, for which no column was made.
  const newest = { 'payload.n': count - 1 };
  await db.collection('entries').updateOne(newest, { $set: { 'payload.unheard': 'of' } });
  await startQuickWorker('export-worker', workerEnv);
  const streaming = await stream(slowly);
  expect(cutOff).toContain(await streaming.exit);
  expect(await streaming.size()).toBeGreaterThan(0);
  const id = await streaming.job();
  expect(await over(id)).toBe('failed');
  const job = await client.job(domain, id);
  expect(job).toMatchObject({ state: 'failed', error: expect.stringContaining('/unheard') });
  expect(job).not.toHaveProperty('file');
  expect(await db.collection('parts').countDocuments({ job: new ObjectId(id) })).toBe(0);
});

it('a finished file that has lost a part is never passed off as whole', async () => {
  const { db, store, client, domain, workerEnv, file } = await start();
  await startQuickWorker('export-worker', workerEnv);
  const { id } = await client.over(domain, await client.create(domain));
  const written = await recordedParts(store, id);
  expect(written.length).toBeGreaterThan(4);
  await db.collection('parts').deleteOne({ _id: new ObjectId(written.at(-2)) });
  for (const args of [[], ['-H', 'Accept-Encoding: gzip'], ['-H', 'Accept-Encoding: zstd']])
    expect([args, cutOff.includes(await file(id, args).exit)]).toEqual([args, true]);
});

it('an export that was taken over, and of which a part is lost, fails and says that the part is missing', async () => {
  const { db, store, client, domain, workerEnv, over } = await start();
  const worker = createWorkerProcess('export-worker', workerEnv);
  await worker.start();
  const id = await client.create(domain);
  await until(async () => (await store.jobs.partsOf(id)).length > 1);
  worker.kill();
  await worker.gone();
  expect((await store.jobs.get(id))?.state).toBe('active');
  const [first] = await store.jobs.partsOf(id);
  await db.collection('parts').deleteOne({ _id: new ObjectId(first?.id) });
  await worker.start();
  expect(await over(id)).toBe('failed');
  const job = await client.job(domain, id);
  expect(job.error).toContain('missing');
});

it('an export that ten workers began in vain fails, and whoever waits for its stream hears of it', async () => {
  const { db, client, domain, workerEnv, stream, over } = await start(few);
  const streaming = await stream(['-f']);
  const id = await streaming.job();
  await db.collection('jobs').updateOne({ _id: new ObjectId(id) }, { $set: { attempts: 10 } });
  await startQuickWorker('export-worker', workerEnv);
  expect(await over(id)).toBe('failed');
  // With -f curl says 22 to an answer of 400 or more.
  expect([22, ...cutOff]).toContain(await streaming.exit);
  expect((await client.job(domain, id)).error).toContain('10 workers');
});
