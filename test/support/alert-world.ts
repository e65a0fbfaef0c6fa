import { createLook } from '@sluice/ingest-worker/alerts/look.ts';
import { createWatchSilence } from '@sluice/ingest-worker/alerts/watch-silence.ts';
import type { AlertChange } from '@sluice/store/alerts/alerts.ts';
import { ObjectId } from 'mongodb';
import { expect, onTestFinished, vi } from 'vitest';
import { openStore, ownDatabase } from './own-database.ts';

export const minuteMs = 60_000;
const fields = { name: 'a', type: 'other', connectors: [], rawSchema: '{}' };

/** An application with an alert of its owner. Time passes by `serve` for silence, and by `setTime` for everything else. */
export async function alertWorld(change: AlertChange) {
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
  await store.alerts.update(owner.id, application, change);
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
  const setTime = (ms: number) => void vi.setSystemTime(ms);
  return { db, setTime, store, wake, mails, serve, served, upload, setClock, application, owner };
}
