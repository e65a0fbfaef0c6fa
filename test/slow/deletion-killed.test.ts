import type { EntryDocument } from '@sluice/store/entries/entry-document.ts';
import { createKeysAt } from '@sluice/store/entries/entry-id.ts';
import type { Db } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { ownDatabase } from '../support/own-database.ts';
import { startQuickWorker } from '../support/quick-start.ts';
import { startSluice, until } from '../support/sluice.ts';
import { createWorkerProcess } from '../support/worker-process.ts';

/** On a machine that is busy with other tests. */
const patientMs = 240_000;

async function fill(db: Db, domain: string, count: number): Promise<void> {
  const application = await db.collection('applications').findOne({ domain });
  const keyAt = createKeysAt();
  const documents = Array.from({ length: count }, (_, n) => ({
    _id: keyAt(Buffer.from(String(application?._id), 'hex'), Date.parse('2026-01-01') + n * 60_000),
    payload: { n, odd: n % 2 === 1 } as unknown as EntryDocument['payload'],
  }));
  await db.collection<EntryDocument>('entries').insertMany(documents);
}

it('a deletion whose worker is killed goes on, and counts each entry once', async () => {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const one = await startSluice({ workers: false, env: { MONGODB_URL } });
  onTestFinished(() => one.stop());
  const owner = await one.owner();
  const domain = await one.application(owner.token);
  const count = 16_000;
  await fill(db, domain, count);
  const request = (method: string, path: string, json?: object) =>
    one.request(method, `/applications/${domain}/${path}`, { token: owner.token, json });
  const { body } = await request('POST', 'deletions', { filter: { odd: true } });
  const job = async () => (await request('GET', `deletions/${body.data.id}`)).body.data;
  for (const done of [1, 4_000]) {
    const worker = createWorkerProcess('ingest-worker', one.env);
    await worker.start();
    await until(async () => (await job()).progress.done >= done, patientMs);
    worker.kill();
    await worker.gone();
  }
  expect((await job()).state).not.toBe('failed');
  await startQuickWorker('ingest-worker', one.env);
  await until(async () => (await job()).state === 'completed', patientMs);
  expect(await job()).toMatchObject({ result: { deleted: count / 2 }, progress: { done: count / 2 } });
  expect(await db.collection('entries').countDocuments({ 'payload.odd': true })).toBe(0);
  expect(await db.collection('entries').countDocuments()).toBe(count / 2);
}, 600_000);
