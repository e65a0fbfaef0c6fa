import { ObjectId } from 'mongodb';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { createLook } from './look.ts';
import { createWatchSilence } from './watch-silence.ts';

const minuteMs = 60_000;
const fields = { name: 'a', type: 'other', connectors: [], rawSchema: '{}' };

/** A source whose silence of 10 minutes is waited for; time passes by `serve`. */
async function start() {
  // Only an hour that a test sets passes.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  await store.prepare();
  const owner = { id: new ObjectId().toHexString(), username: 'ada' };
  await db.collection('users').insertOne({ _id: new ObjectId(owner.id), username: 'ada' });
  await store.addresses.set(owner.id, 'ada@example.com');
  const application = await store.applications.create({ ...fields, domain: owner.id, owner });
  if (!application) return expect.unreachable();
  await store.alerts.update(owner.id, application, { silence: 10 });
  const serving = db.collection('serving');
  const watch = createWatchSilence(store);
  const look = createLook(store);

  async function mails(): Promise<number> {
    await watch();
    for (;;) {
      const alert = await store.alerts.take(0);
      if (!alert) break;
      await store.alerts.release(alert, await look(alert));
    }
    return db.collection('mails').countDocuments();
  }

  const serve = (minutes: number) => serving.updateOne({}, { $inc: { servedMs: minutes * minuteMs } });
  const served = async () => (await store.serving.read())?.servedMs;
  let n = 0;
  const upload = async () => {
    const key = store.entries.newKeys(application.id, Date.now() + n++, 1);
    await db.collection('entries').insertOne({ _id: key as never, payload: {} });
  };
  /** The last tick seems to be so long ago: an outage, or a clock that was set. */
  const setClock = async (minutes: number) => {
    const before = await served();
    await serving.updateOne({}, { $set: { at: new Date(Date.now() - minutes * minuteMs) } });
    await store.serving.tick();
    expect(await served()).toBe(before);
  };
  const wake = () => db.collection('alerts').updateMany({}, { $set: { dueAt: new Date(0) } });
  await store.serving.tick();
  await serve(2);
  return { store, wake, mails, serve, served, upload, setClock, application, owner };
}

it('finds a silence at its time, once', async () => {
  const { mails, serve, upload } = await start();
  await upload();
  expect(await mails()).toBe(0);
  await serve(9.9);
  expect(await mails()).toBe(0);
  await serve(0.1);
  expect(await mails()).toBe(1);
  await serve(100);
  expect(await mails()).toBe(1);
});

it('hears of each entry', async () => {
  const { mails, serve, upload } = await start();
  for (let i = 0; i < 5; i++) {
    await upload();
    expect(await mails()).toBe(0);
    await serve(9);
    expect(await mails()).toBe(0);
  }
});

it.each([
  ['no API served for an hour', 60],
  ['the clock was set an hour forward', 60],
  ['the clock was set an hour back', -60],
])('takes it for no silence when %s', async (_what, minutes) => {
  const { mails, serve, upload, setClock } = await start();
  await upload();
  expect(await mails()).toBe(0);
  await serve(9.5);
  await setClock(minutes);
  expect(await mails()).toBe(0);
  // Its time is over, but senders may still be coming back.
  await serve(1.9);
  expect(await mails()).toBe(0);
  await serve(0.1);
  expect(await mails()).toBe(1);
});

it('counts the time of several APIs once', async () => {
  const { store, served } = await start();
  const before = (await served()) as number;
  const began = Date.now();
  for (let i = 0; i < 5; i++) await Promise.all([store.serving.tick(), store.serving.tick()]);
  const passed = ((await served()) as number) - before;
  expect(passed).toBeGreaterThanOrEqual(0);
  expect(passed).toBeLessThanOrEqual(Date.now() - began + 1_000);
});

it('tells of another silence within an hour once the hour is over', async () => {
  const { mails, serve, upload, wake } = await start();
  await upload();
  await mails();
  await serve(10);
  expect(await mails()).toBe(1);
  await upload();
  expect(await mails()).toBe(1);
  await serve(10);
  expect(await mails()).toBe(1);
  vi.setSystemTime(Date.now() + 60 * minuteMs);
  await wake();
  expect(await mails()).toBe(2);
  await wake();
  expect(await mails()).toBe(2);
});

it('tells nobody who is no member any more', async () => {
  const { store, mails, serve, upload, application, owner } = await start();
  await upload();
  await mails();
  const other = { id: new ObjectId().toHexString(), username: 'bo' };
  await store.alerts.update(other.id, application, { silence: 10 });
  await store.addresses.set(other.id, 'bo@example.com');
  await serve(10);
  expect(await mails()).toBe(1);
  expect(await store.alerts.of(other.id, application.id)).toEqual({});
  expect(await store.alerts.of(owner.id, application.id)).toEqual({ silence: 10 });
});
