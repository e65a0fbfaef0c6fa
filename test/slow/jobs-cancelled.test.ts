import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { type Document, ObjectId } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { exportableApplication, fill, recordedParts, storedParts } from '../support/export-client.ts';
import { types } from '../support/import-client.ts';
import { keepMany } from '../support/many-refused.ts';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { refusedClient } from '../support/refused-client.ts';
import { type Answer, startSluice, until } from '../support/sluice.ts';
import { createWorkerProcess } from '../support/worker-process.ts';

/** How many jobs of each kind are cancelled. */
const moments = Number(process.env.MOMENTS ?? 6);
/** A lease has to end after each kill. */
const timeout = 240_000 + moments * 60_000;
/** Every tenth line or upload is refused. */
const isBad = (n: number) => n % 10 === 7;
const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

type Told = Answer['body'];
type World = Awaited<ReturnType<typeof begin>>;

/** A job that runs, and what is known of it besides what it tells. */
interface Started {
  id: string;
  path: string;
  /** What the job has to tell: counted in what is stored. */
  stored(told: Told): Promise<object>;
  /** Of a job whose workers all lived. */
  calm?(told: Told): Promise<void>;
}

async function begin() {
  const { db, url: MONGODB_URL } = await ownDatabase();
  // MongoDB ends the transaction of a dead worker after 60 s. Whoever cancels a job does not wait for that.
  const env = { MONGODB_URL, ENTRY_QUOTA: 'off', MONGODB_TIMEOUT: '30s' };
  const sluice = await startSluice({ workers: false, env });
  onTestFinished(() => sluice.stop());
  const store = openStore(MONGODB_URL);
  const { token } = await sluice.owner();

  /** The chunks that were done, with their lines where they changed. MongoDB tells it, since chunks are removed when their job is over. */
  const doneChunks = new Map<string, number | undefined>();
  const changes = db.collection('chunks').watch();
  changes.on('change', (change) => {
    if (change.operationType !== 'update') return;
    const { state, lines } = change.updateDescription.updatedFields ?? {};
    if (state === 'done') doneChunks.set(String(change.documentKey._id), lines);
  });
  onTestFinished(() => changes.close());

  async function application() {
    const domain = await sluice.application(token, schema);
    const { id } = (await store.applications.byDomain(domain)) as { id: string };
    return { domain, id, path: `/applications/${domain}` };
  }

  async function post(path: string, json: object): Promise<string> {
    const { status, body, text } = await sluice.request('POST', path, { token, json });
    expect([status, text]).toEqual([202, expect.anything()]);
    return body.data.id;
  }

  return { db, sluice, store, token, doneChunks, application, post };
}

async function startImport({ sluice, store, token, application }: World): Promise<Started> {
  const count = 20_000;
  const perChunk = 5_000;
  const { id: into, domain, path } = await application();
  const lines = numbers(count).map((n) => (isBad(n) ? `{"m":${n}}` : `{"n":${n}}`));
  const { body } = await sluice.request('POST', `${path}/imports`, {
    token,
    body: lines.join('\n'),
    headers: { 'content-type': types.ndjson },
  });
  return {
    id: body.data.id,
    path: `${path}/imports/${body.data.id}`,
    async stored() {
      const accepted = await store.entries.count(into, {});
      // Whole chunks are stored, so it is known how many of their lines were refused.
      const done = (accepted / 9) * 10;
      expect(done % perChunk).toBe(0);
      return { accepted, rejected: done - accepted, progress: { done, total: count } };
    },
    calm: ({ rejected }) => refusedClient(sluice, token, domain).untilCounted(rejected, 0),
  };
}

async function startReplay({ db, store, application, post }: World): Promise<Started> {
  const total = 4_000;
  const { id: into, path } = await application();
  await keepMany(store, into, total, isBad);
  const id = await post(`${path}/replays`, { coerce: [{ path: '/n', to: 'integer' }] });
  return {
    id,
    path: `${path}/replays/${id}`,
    async stored() {
      const of = { application: new ObjectId(into) };
      const stored = await store.entries.count(into, {});
      const again = await db.collection('refused').countDocuments({ ...of, message: { $ne: 'no' } });
      expect(await db.collection('refused').countDocuments(of)).toBe(total - stored);
      const done = stored + again;
      return {
        progress: { done, total },
        ...(done > 0 && { result: { stored, still_refused: again } }),
      };
    },
  };
}

async function startDeletion({ store, application, post }: World): Promise<Started> {
  const count = 8_000;
  const { id: from, path } = await application();
  await fill(store, from, count);
  const id = await post(`${path}/deletions`, { filter: { n: { gte: 0 } } });
  return {
    id,
    path: `${path}/deletions/${id}`,
    stored: async () => ({ progress: { done: count - (await store.entries.count(from, {})) } }),
  };
}

async function startRehearsal({ db, store, doneChunks, application, post }: World): Promise<Started> {
  const count = 30_000;
  const { id: of, path } = await application();
  await fill(store, of, count);
  const id = await post(`${path}/rehearsals`, { schema: { type: 'object', properties: { n: { not: {} } } } });
  const chunks = await db
    .collection('chunks')
    .find({ job: new ObjectId(id) })
    .toArray();
  return {
    id,
    path: `${path}/rehearsals/${id}`,
    async stored({ progress }) {
      const linesOf = (chunk: Document) => doneChunks.get(String(chunk._id)) ?? chunk.lines;
      const isDone = ({ _id }: Document) => doneChunks.has(String(_id));
      const done = () => chunks.filter(isDone).reduce((sum, chunk) => sum + linesOf(chunk), 0);
      // MongoDB tells of a change a moment later.
      await expect.poll(done, { timeout: 10_000 }).toBe(progress.done);
      return { progress: { done: done() } };
    },
  };
}

async function startExport({ db, sluice, store, token, post }: World): Promise<Started> {
  const count = 2_000;
  const { domain, id: of } = await exportableApplication(sluice, store, token);
  await fill(store, of, count, 6_000);
  const path = `/applications/${domain}/exports`;
  const id = await post(path, {});
  return {
    id,
    path: `${path}/${id}`,
    async stored({ state, progress: { done } }) {
      const parts = await store.jobs.partsOf(id);
      expect(parts.reduce((sum, { rows }) => sum + rows, 0)).toBe(done);
      const left = async () => (await storedParts(db, id)).join();
      const kept = state === 'completed' ? (await recordedParts(store, id)).join() : '';
      await expect.poll(left, { timeout: 60_000 }).toBe(kept);
      const { status, text } = await sluice.request('GET', `${path}/${id}/file`, {
        token,
        headers: { 'accept-encoding': 'identity' },
      });
      expect(status).toBe(state === 'completed' ? 200 : 404);
      if (state !== 'completed') return {};
      return { progress: { done: count }, file: { rows: count, bytes: Buffer.byteLength(text) } };
    },
  };
}

const isOver = ({ state }: Told) => state !== 'waiting' && state !== 'active';

/** When a job is cancelled: so long after so much of it was done. Its worker may be killed just before or after. */
const moment = fc.record({
  done: fc.double({ min: 0, max: 0.9, noNaN: true }),
  laterMs: fc.nat(100),
  kill: fc.constantFrom('never', 'never', 'before', 'after'),
  killMs: fc.nat(60),
});

it.each([
  ['import', startImport],
  ['replay', startReplay],
  ['deletion', startDeletion],
  ['rehearsal', startRehearsal],
  ['export', startExport],
] as const)(
  'every %s that is cancelled at some moment tells what it did, also when its worker is killed then',
  async (kind, start) => {
    const world = await begin();
    const { sluice, store, token } = world;
    const worker = createWorkerProcess(kind === 'export' ? 'export-worker' : 'ingest-worker', {
      ...sluice.env,
      WORKER_CONCURRENCY: '2',
    });
    await worker.start();
    const look = async (path: string): Promise<Told> =>
      (await sluice.request('GET', path, { token })).body.data;

    async function ended({ path }: Started): Promise<Told> {
      await until(async () => isOver(await look(path)), timeout);
      return look(path);
    }

    const whole = await start(world);
    const told = await ended(whole);
    expect(told).toMatchObject({ state: 'completed', ...(await whole.stored(told)) });
    const { total } = told.progress;
    async function reached({ id }: Started, done: number): Promise<void> {
      for (;;) {
        const job = await store.jobs.glance(id);
        if (!job || isOver(job) || (job.state === 'active' && job.done >= done)) return;
        await pause(5);
      }
    }

    const over: { started: Started; told: Told }[] = [];
    await fc.assert(
      fc.asyncProperty(moment, async ({ done, laterMs, kill, killMs }) => {
        const started = await start(world);
        await reached(started, done * total);
        await pause(laterMs);
        const killed = async (when: typeof kill) => {
          if (kill !== when) return;
          worker.kill();
          await worker.gone();
        };
        await killed('before');
        const { status } = await sluice.request('DELETE', started.path, { token });
        expect(status).toBe(200);
        if (kill === 'after') await pause(killMs);
        await killed('after');
        if (kill !== 'never') await worker.start();
        // It may have been over before: then it is removed.
        if ((await sluice.request('GET', started.path, { token })).status === 404) return;
        const told = await ended(started);
        expect(told).toMatchObject({ state: 'cancelled', ...(await started.stored(told)) });
        expect(told).not.toHaveProperty('file');
        if (kill === 'never') await started.calm?.(told);
        over.push({ started, told });
      }),
      { numRuns: moments, endOnFailure: true },
    );
    for (const { started, told } of over) {
      expect(await look(started.path)).toEqual(told);
      expect(told).toMatchObject(await started.stored(told));
    }
  },
  timeout,
);
