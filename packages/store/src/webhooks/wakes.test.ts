import type { WebhookEvent } from '@sluice/shared/webhook-events.ts';
import { type Db, type Document, ObjectId } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../../../../test/support/cuttable-proxy.ts';
import { openStore, ownDatabase, throughProxy } from '../../../../test/support/own-database.ts';
import { payloadOf } from '../../../../test/support/payload-of.ts';
import { until } from '../../../../test/support/sluice.ts';
import { createCountKeys } from '../refused/refusal-counts.ts';
import type { WebhookStore } from './webhooks.ts';

const leaseMs = 60_000;
const hour = 3_600_000;
const any: Parameters<WebhookStore['take']>[1] = { isFailing: false };
const newId = () => new ObjectId().toHexString();

async function start() {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  await store.prepare();
  const owner = { id: new ObjectId().toHexString() };
  const createOf = async (owner: { id: string }, ...events: WebhookEvent[]) => {
    const application = { id: new ObjectId().toHexString(), version: 1, owner };
    const fields = { url: 'https://example.com/', events, refusals: { count: 1, minutes: 1 } };
    const webhook = await store.webhooks.create(application, { ...fields, createdBy: 'ada' }, 'whsec_', 10);
    return { application: application.id, webhook: webhook?.id as string };
  };
  const create = (...events: WebhookEvent[]) => createOf(owner, ...events);
  const take = (choice = any) => store.webhooks.take(leaseMs, choice);
  /** As a worker does that finds nothing new. */
  const idle = async (rest = { inMs: hour, isFailing: false }) => {
    for (let one = await take(); one; one = await take()) await store.webhooks.release(one, rest);
  };
  const upload = (application: string) => store.entries.insert([{ application, ...payloadOf({ n: 1 }) }]);
  return { ...store, db, url, owner, create, createOf, take, idle, upload };
}

/** MongoDB writes down what each take looks at from now on. */
async function watchTakes(db: Db): Promise<() => Promise<Document[]>> {
  await db.createCollection('system.profile', { capped: true, size: 1024 ** 2 });
  await db.command({ profile: 1, filter: { 'command.findAndModify': 'webhooks' } });
  onTestFinished(async () => void (await db.command({ profile: 0 })));
  return () => db.collection('system.profile').find().toArray();
}

it('a webhook is due when its application has entries, before they can be read, and no other is', async () => {
  const { create, take, idle, upload, entries } = await start();
  const [one, other] = [await create('entries.stored'), await create('entries.stored')];
  await create('export.completed');
  await idle();
  expect(await take()).toBeUndefined();
  await upload(one.application);
  let taken: Awaited<ReturnType<typeof take>>;
  await until(async () => {
    const { entries: found } = await entries.forward(one.application, { start: 0, limit: 1 });
    taken = await take();
    if (found.length > 0) expect(taken?.id).toBe(one.webhook);
    return taken !== undefined;
  });
  expect(taken?.id).toBe(one.webhook);
  expect(await take()).toBeUndefined();
  await upload(other.application);
  await until(async () => (await take())?.id === other.webhook);
});

it('more entries are known to come while some cannot be read yet, or an import is under way', async () => {
  const { entries, horizon, chunks, upload } = await start();
  const application = newId();
  const look = async () => {
    const { entries: found, final } = await entries.forward(application, { start: 0, limit: 1 });
    return { found: found.length, more: await entries.willHave(application, final) };
  };
  expect(await look()).toEqual({ found: 0, more: false });
  const writer = horizon.newWriter();
  await horizon.publish({ writer, next: 0 });
  await upload(application);
  expect(await look()).toEqual({ found: 0, more: true });
  await horizon.leave({ writer, next: 0 });
  await until(async () => (await look()).found === 1);
  await until(async () => !(await look()).more);

  const job = newId();
  await chunks.add({ job, application, seq: 0, lines: 1, part: job, bytes: 1 });
  const chunk = (await chunks.claim(job, leaseMs)) ?? expect.unreachable();
  expect(await look()).toMatchObject({ more: true });
  await chunks.commit(chunk.id, chunk.fence, { accepted: 0, rejected: 0 });
  expect(await look()).toMatchObject({ more: false });
});

it('news that come after the lease of a slow worker make its webhook due again', async () => {
  const { create, webhooks, take } = await start();
  const { application, webhook } = await create('export.completed');
  const slow = (await webhooks.take(0, any)) ?? expect.unreachable();
  await webhooks.noteEvents(['export.completed'], [application]);
  await webhooks.release(slow, { inMs: hour });
  expect(await take()).toMatchObject({ id: webhook });
});

it('news that come while a worker has a webhook make it due again, but not after a failed try', async () => {
  const { create, take, webhooks } = await start();
  const { application, webhook } = await create('export.completed');
  const note = () => webhooks.noteEvents(['export.completed'], [application]);
  const first = (await take()) ?? expect.unreachable();
  await note();
  await webhooks.release(first, { inMs: hour });
  const second = (await take()) ?? expect.unreachable();
  await note();
  await webhooks.release(second, { inMs: hour, isFailing: true });
  await note();
  expect(await take()).toBeUndefined();
  expect(await take({ ...any, isFailing: true })).toBeUndefined();
  await webhooks.wake(webhook);
  expect(await take()).toBeUndefined();
  expect(await take({ ...any, isFailing: true })).toMatchObject({ id: webhook });
});

it('a worker that dies while it records a delivery delays no upload, and the delivery is sent once', async () => {
  const { url, create, take, upload, webhooks, deliveries, entries } = await start();
  const { application, webhook } = await create('entries.stored');
  const { hostname, port } = new URL(url);
  const proxy = await createCuttableProxy({ host: hostname, port: Number(port) });
  onTestFinished(proxy.close);
  const dying = openStore(throughProxy(url, proxy));
  const taken = (await webhooks.take(1, any)) ?? expect.unreachable();
  const [version, content] = [2, { data: { n: 1 } }];
  const death = proxy.stallWhenSent('deliveries');
  const recording = dying.webhooks.record(taken, { version }, [{ type: 'schema.published', content }]);
  recording.catch(() => {});
  await until(async () => death.left === 0);

  // MongoDB keeps a transaction whose client is dead for a minute.
  await upload(application);
  const isRead = async () => (await entries.forward(application, { start: 0, limit: 1 })).entries.length > 0;
  await until(isRead, 20_000);
  const next = (await take()) ?? expect.unreachable();
  expect(next).toMatchObject({ id: webhook, progress: { version } });
  expect(await deliveries.next(next)).toMatchObject({ content });
  // What the dead one sent arrives late.
  await proxy.restore();
  await recording;
  expect(await deliveries.list(next, { start: 0, limit: 2 })).toMatchObject({ total: 1 });
});

it('the events of an application make those of its webhooks due that are told of them', async () => {
  const { create, take, idle, webhooks, refusalCounts } = await start();
  const { application, webhook } = await create('refusals.threshold');
  await idle();
  await webhooks.noteEvents(['export.completed'], [application]);
  expect(await take()).toBeUndefined();
  await refusalCounts.write([{ key: createCountKeys()(application, Date.now()), total: 1, reasons: [] }]);
  expect(await take()).toMatchObject({ id: webhook });
});

it('those of an owner who has enough are left to wait', async () => {
  const { create, take, owner } = await start();
  await create('entries.stored');
  expect(await take({ ...any, notOf: [owner.id] })).toBeUndefined();
  expect(await take({ ...any, notOf: [newId()] })).toMatchObject({ owner: owner.id });
});

it('owners take turns beside one that has enough, and nobody waits for the 3,000 that it has due', async () => {
  const { db, create, createOf, take, owner, webhooks } = await start();
  const { webhook } = await create('entries.stored');
  const stored = db.collection('webhooks');
  const { _id, ...first } = (await stored.findOne({})) as Document;
  await stored.insertMany(Array.from({ length: 3_000 }, () => ({ ...first })));
  const others = [newId(), newId(), newId()].sort();
  for (const id of others) for (let n = 0; n < 2; n++) await createOf({ id }, 'entries.stored');
  await webhooks.wake(webhook);

  const looks = await watchTakes(db);
  const turns: (string | undefined)[] = [];
  for (let n = 0; n < 7; n++)
    turns.push((await take({ ...any, notOf: [owner.id], after: turns.at(-1) ?? others[0] }))?.owner);
  const [a, b, c] = others;
  expect(turns).toEqual([b, c, a, b, c, a, undefined]);
  const examined = (await looks()).map(({ docsExamined, keysExamined }) => docsExamined + keysExamined);
  expect(examined.length).toBeGreaterThanOrEqual(turns.length);
  expect(Math.max(...examined)).toBeLessThan(30);
  const ofSome = { ...any, of: [owner.id, others[0] as string], after: others[0] };
  expect((await take(ofSome))?.owner).toBe(owner.id);
  expect((await take())?.owner).toBe(owner.id);
});
