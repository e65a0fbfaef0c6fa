import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { alertWorld, minuteMs } from '../../../../test/support/alert-world.ts';

const start = () => alertWorld({ silence: 10 });

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

it('gives senders time to come back after a restart of seconds, and not where another API served', async () => {
  const { db, store, served } = await start();
  const restart = async (seconds: number) => {
    const at = new Date(Date.now() - seconds * 1_000);
    await db.collection('serving').updateOne({}, { $set: { at } });
    await store.serving.tick({ isFirst: true });
    const { servedMs = 0, settledMs = 0 } = (await store.serving.read()) ?? {};
    return settledMs - servedMs;
  };
  const before = (await served()) as number;
  expect(await restart(10)).toBe(2 * minuteMs);
  expect(await served()).toBe(before);
  // Its tick came as the other one's next would have.
  expect(await restart(0.5)).toBeLessThan(2 * minuteMs);
  expect(await served()).toBeGreaterThanOrEqual(before + 500);
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
  const { mails, serve, upload, wake, setTime } = await start();
  await upload();
  await mails();
  await serve(10);
  expect(await mails()).toBe(1);
  await upload();
  expect(await mails()).toBe(1);
  await serve(10);
  expect(await mails()).toBe(1);
  setTime(Date.now() + 60 * minuteMs);
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
