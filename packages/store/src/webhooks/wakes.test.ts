import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { payloadOf } from '../../../../test/support/payload-of.ts';
import { until } from '../../../../test/support/sluice.ts';
import { createCountKeys } from '../refused/refusal-counts.ts';
import type { WebhookEvent } from './webhook-records.ts';

const leaseMs = 60_000;
const hour = 3_600_000;
const any = { isFailing: false, notOf: [] as string[] };

async function start() {
  const { url } = await ownDatabase();
  const store = openStore(url);
  await store.prepare();
  const owner = { id: new ObjectId().toHexString() };
  const create = async (...events: WebhookEvent[]) => {
    const application = { id: new ObjectId().toHexString(), version: 1, owner };
    const fields = { url: 'https://example.com/', events, refusals: { count: 1, minutes: 1 } };
    const webhook = await store.webhooks.create(application, { ...fields, createdBy: 'ada' }, 'whsec_', 10);
    return { application: application.id, webhook: webhook?.id as string };
  };
  const take = (choice = any) => store.webhooks.take(leaseMs, choice);
  /** As a worker does that finds nothing new. */
  const idle = async (rest = { inMs: hour, isFailing: false }) => {
    for (let one = await take(); one; one = await take()) await store.webhooks.release(one, rest);
  };
  const upload = (application: string) => store.entries.insert([{ application, ...payloadOf({ n: 1 }) }]);
  return { ...store, owner, create, take, idle, upload };
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
  expect(await take({ ...any, notOf: ['a'.repeat(24)] })).toMatchObject({ owner: owner.id });
});
