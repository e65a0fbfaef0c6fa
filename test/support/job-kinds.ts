import { type Document, ObjectId } from 'mongodb';
import { expect } from 'vitest';
import { exportableApplication, fill, recordedParts, storedParts } from './export-client.ts';
import { expectExported, watchReadings } from './exports/expect-exported.ts';
import { importClient, types } from './import-client.ts';
import type { StartJob } from './job-world.ts';
import { keepMany } from './many-refused.ts';
import { payloadOf } from './payload-of.ts';
import { refusedClient } from './refused-client.ts';
import { rehearsalClient } from './rehearsal-client.ts';

/** Every tenth line or upload is refused. */
const isBad = (n: number) => n % 10 === 7;
const rehearsed = { type: 'object', properties: { n: { not: { multipleOf: 7 } } }, required: ['n'] };
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
/** Shorter to read than a diff of thousands of numbers. */
function expectNumbers(found: number[], expected: number[]): void {
  const wrong = found.findIndex((n, at) => n !== expected[at]);
  expect([found.length, wrong]).toEqual([expected.length, -1]);
}

export const startImport: StartJob = async (world, count) => {
  const { db, sluice, store, token, application, storedNumbers } = world;
  const perChunk = 5_000;
  const { id: into, domain, path } = await application();
  const lines = numbers(count).map((n) => (isBad(n) ? `{"m":${n}}` : `{"n":${n},"text":"${n}"}`));
  const refused = numbers(count).filter(isBad);
  const client = importClient(sluice, token);
  const { status, body } = await client.start(domain, lines.join('\n'), { type: types.ndjson });
  expect(status).toBe(202);
  const { id } = body.data;
  return {
    id,
    path: `${path}/imports/${id}`,
    async stored() {
      const accepted = await store.entries.count(into, {});
      // Whole chunks are stored, so it is known how many of their lines were refused.
      const done = (accepted / 9) * 10;
      expect(done % perChunk).toBe(0);
      return { accepted, rejected: done - accepted, progress: { done, total: count } };
    },
    calm: ({ rejected }) => refusedClient(sluice, token, domain).untilCounted(rejected, 0),
    async expectDone(told) {
      expect(told).toMatchObject({
        state: 'completed',
        progress: { done: count, total: count },
        accepted: count - refused.length,
        rejected: refused.length,
        file: { rows: refused.length },
      });
      // In the order of the file, so each of them once.
      expectNumbers(
        await storedNumbers(),
        numbers(count).filter((n) => !isBad(n)),
      );
      expectNumbers(
        (await client.report(id)).map(({ line }) => line - 1),
        refused,
      );
      expect(await db.collection('chunks').countDocuments({})).toBe(0);
    },
  };
};

export const startReplay: StartJob = async (world, total) => {
  const { db, sluice, store, token, application, post, look, ended, storedNumbers } = world;
  const { id: into, path } = await application();
  await sluice.request('PATCH', path, { token, json: { refused: { limit: 100_000 } } });
  await keepMany(store, into, total, isBad);
  const start = () => post(`${path}/replays`, { coerce: [{ path: '/n', to: 'integer' }] });
  const id = await start();
  return {
    id,
    path: `${path}/replays/${id}`,
    async stored() {
      const of = { application: new ObjectId(into) };
      const stored = await store.entries.count(into, {});
      const again = await db.collection('refused').countDocuments({ ...of, message: { $ne: 'no' } });
      expect(await db.collection('refused').countDocuments(of)).toBe(total - stored);
      const done = stored + again;
      return { progress: { done, total }, ...(done > 0 && { result: { stored, still_refused: again } }) };
    },
    async expectDone(told) {
      const bad = numbers(total).filter(isBad).length;
      const result = { stored: total - bad, still_refused: bad };
      expect(told).toMatchObject({ state: 'completed', progress: { done: total, total }, result });
      const again = await ended({ path: `${path}/replays/${await start()}` });
      expect(again).toMatchObject({ result: { stored: 0, still_refused: bad } });
      expectNumbers(
        (await storedNumbers()).sort((a, b) => a - b),
        numbers(total).filter((n) => !isBad(n)),
      );
      expect(await store.refused.count(into, {})).toBe(bad);
      expect(await look(`${path}/replays/${id}`)).toMatchObject({ result });
    },
  };
};

export const startDeletion: StartJob = async ({ db, store, application, post }, count) => {
  const { id: from, path } = await application();
  await store.entries.insert(
    numbers(count).map((n) => ({ application: from, ...payloadOf({ n, odd: n % 2 === 1 }) })),
  );
  const id = await post(`${path}/deletions`, { filter: { odd: true } });
  return {
    id,
    path: `${path}/deletions/${id}`,
    stored: async () => ({ progress: { done: count - (await store.entries.count(from, {})) } }),
    async expectDone(told) {
      expect(told).toMatchObject({
        state: 'completed',
        result: { deleted: count / 2 },
        progress: { done: count / 2 },
      });
      expect(await db.collection('entries').countDocuments({ 'payload.odd': true })).toBe(0);
      expect(await db.collection('entries').countDocuments()).toBe(count / 2);
    },
  };
};

export const startErasure: StartJob = async ({ db, store, application, post }, count) => {
  const { id: from, path } = await application();
  await store.entries.insert(
    numbers(count).map((n) => ({ application: from, ...payloadOf({ n, odd: n % 2 === 1 }) })),
  );
  const id = await post(`${path}/erasures`, { filter: { odd: true } });
  return {
    id,
    path: `${path}/erasures/${id}`,
    stored: async () => ({ progress: { done: count - (await store.entries.count(from, {})) } }),
    async expectDone(told) {
      const result = { entries: count / 2, refused: 0, files: 0 };
      expect(told).toMatchObject({ state: 'completed', result, progress: { done: count / 2 } });
      expect(await db.collection('entries').countDocuments({ 'payload.odd': true })).toBe(0);
      expect(await db.collection('entries').countDocuments()).toBe(count / 2);
      const hashes = await Array.fromAsync(store.erased.hashesOf({ application: from, id }));
      expect(Buffer.concat(hashes)).toHaveLength(8 * count);
    },
  };
};

export const startRehearsal: StartJob = async (world, count) => {
  const { db, sluice, store, token, doneChunks, application, post, ended } = world;
  const { id: of, domain, path } = await application();
  await fill(store, of, count, 600);
  // So it has several ranges.
  await store.milestones.set(of, Date.now() + 60_000, 1_000);
  const id = await post(`${path}/rehearsals`, { schema: rehearsed });
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
    async expectDone(told) {
      const bad = numbers(count).filter((n) => n % 7 === 0);
      expect(told).toMatchObject({
        state: 'completed',
        progress: { done: count, total: count },
        result: {
          checked: count,
          conforming: count - bad.length,
          groups: [{ path: '/n', keyword: 'not', count: bad.length, example: { n: 0 } }],
        },
        file: { rows: bad.length },
      });
      const found = await rehearsalClient(sluice, token).file(domain, id);
      expectNumbers(
        found.map(({ payload }) => payload.n),
        bad,
      );
      expect(await store.chunks.jobs()).toEqual([]);
      const again = { path: `${path}/rehearsals/${await post(`${path}/rehearsals`, { schema: rehearsed })}` };
      const answer = await sluice.request('DELETE', again.path, { token });
      expect(answer.body.data.message).toContain('cancelled');
      expect((await ended(again)).state).toBe('cancelled');
    },
  };
};

export const startExport: StartJob = async (world, count) => {
  const { db, sluice, store, token, post } = world;
  const { domain, id: of } = await exportableApplication(sluice, store, token);
  await fill(store, of, count, 6_000);
  const readings = await watchReadings(db);
  const path = `/applications/${domain}/exports`;
  const id = await post(path, {});
  const file = () =>
    sluice.request('GET', `${path}/${id}/file`, { token, headers: { 'accept-encoding': 'identity' } });
  return {
    id,
    path: `${path}/${id}`,
    async stored({ state, progress: { done } }) {
      const parts = await store.jobs.partsOf(id);
      expect(parts.reduce((sum, { rows }) => sum + rows, 0)).toBe(done);
      const left = async () => (await storedParts(db, id)).join();
      const kept = state === 'completed' ? (await recordedParts(store, id)).join() : '';
      await expect.poll(left, { timeout: 60_000 }).toBe(kept);
      const { status, text } = await file();
      expect(status).toBe(state === 'completed' ? 200 : 404);
      if (state !== 'completed') return {};
      return { progress: { done: count }, file: { rows: count, bytes: Buffer.byteLength(text) } };
    },
    async expectDone(told, lines, kills) {
      const text = (await file()).text;
      await expectExported({ db, store, id, count, told, text, lines, kills, readings: await readings() });
    },
  };
};
