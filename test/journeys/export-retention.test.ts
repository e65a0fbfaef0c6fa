import { ObjectId } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { exportableApplication, exportClient, fill, storedParts } from '../support/export-client.ts';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { startSluice, until } from '../support/sluice.ts';

const hourMs = 3_600_000;

async function start(env: Record<string, string> = {}) {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const sluice = await startSluice({ env: { MONGODB_URL, ...env } });
  onTestFinished(sluice.stop);
  const store = openStore(MONGODB_URL);
  const { token } = await sluice.owner();
  const { domain, id: application } = await exportableApplication(sluice, store, token);
  await fill(store, application, 1_000);
  const client = exportClient(sluice.url, token);
  const completed = async () => (await client.over(domain, await client.create(domain))).id as string;
  return { db, sluice, store, client, domain, application, completed };
}

it('an export whose time is over goes with its parts, and no other does', async () => {
  const { db, client, domain, completed, store } = await start();
  const [kept, old] = [await completed(), await completed()];
  const parts = await storedParts(db, kept);
  expect(parts.length).toBeGreaterThan(0);
  expect((await storedParts(db, old)).length).toBe(parts.length);
  await db
    .collection('jobs')
    .updateOne({ _id: new ObjectId(old) }, { $set: { expiresAt: new Date(Date.now() - 1) } });
  await until(async () => (await client.job(domain, old)) === undefined);
  await until(async () => (await storedParts(db, old)).length === 0);
  expect((await client.list(domain)).map(({ id }: { id: string }) => id)).toEqual([kept]);
  expect(await storedParts(db, kept)).toEqual(parts);
  const week = 7 * 24 * hourMs;
  const job = await store.jobs.get(kept);
  const keptMs = (job?.expiresAt?.getTime() as number) - (job?.finishedAt?.getTime() as number);
  expect(Math.abs(keptMs - week)).toBeLessThan(hourMs);
});

it('is kept no longer than EXPORT_RETENTION says', async () => {
  const { db, client, domain, completed } = await start({ EXPORT_RETENTION: '4s' });
  const id = await completed();
  await until(async () => (await client.job(domain, id)) === undefined);
  await until(async () => (await storedParts(db, id)).length === 0);
});

it('an export that is still to be made is not forgotten when the queue is', async () => {
  const { db, store, client, domain, application } = await start();
  const found = await store.applications.byId(application);
  const { id } = await store.jobs.exports.create({
    application,
    owner: found?.owner.id as string,
    domain,
    options: { format: 'csv', formulas: 'escape', arrays: 'json' },
    cut: (await store.rawEntries.cut(application)).until,
    version: 1,
    leafCount: 0,
    transient: false,
  });
  const job = await client.over(domain, id);
  expect([job.state, job.file.rows]).toEqual(['completed', 1_000]);
  expect((await storedParts(db, id)).length).toBeGreaterThan(0);
});

it('parts that have no record are swept once they are an hour old, and younger ones are left', async () => {
  // The sweep looks for them when a worker has just begun.
  const { db, url: MONGODB_URL } = await ownDatabase();
  const store = openStore(MONGODB_URL);
  await store.prepare();
  const parts = db.collection<{ _id: ObjectId; job: ObjectId; data: Buffer }>('parts');
  const aged = (ms: number) => ObjectId.createFromTime(Math.floor((Date.now() - ms) / 1_000));
  const [old, young, recorded] = [new ObjectId(), new ObjectId(), new ObjectId()];
  const put = (job: ObjectId, ms: number) =>
    parts.insertOne({ _id: aged(ms), job, data: Buffer.from('bytes') });
  await put(old, 2 * hourMs);
  await put(old, 0);
  await put(young, hourMs / 2);
  await put(recorded, 3 * hourMs);
  const { id } = await store.jobs.exports.create({
    application: new ObjectId().toHexString(),
    owner: new ObjectId().toHexString(),
    domain: 'none',
    options: { format: 'csv', formulas: 'escape', arrays: 'json' },
    version: 1,
    leafCount: 0,
    transient: false,
  });
  const part = await parts.findOne({ job: recorded });
  await parts.updateOne({ _id: part?._id }, { $set: { job: new ObjectId(id) } });
  await store.jobs.cancel(id, new Date(Date.now() + hourMs));
  const before = await storedParts(db, young.toHexString());
  expect(before).toHaveLength(1);

  const sluice = await startSluice({ env: { MONGODB_URL } });
  onTestFinished(sluice.stop);
  await until(async () => (await storedParts(db, old.toHexString())).length === 0);
  expect(await storedParts(db, young.toHexString())).toEqual(before);
  expect(await storedParts(db, id)).toHaveLength(1);
});
