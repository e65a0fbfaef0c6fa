import { createLogger } from '@sluice/shared/logger.ts';
import { createMetrics } from '@sluice/shared/metrics/metrics.ts';
import { ObjectId } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { until } from '../../../../test/support/sluice.ts';
import { startWebhooks } from './start.ts';

const newId = () => new ObjectId().toHexString();
const fields = { url: 'https://example.com/', events: ['entries.stored' as const], createdBy: 'ada' };

it('an owner with hundreds of webhooks due at once delays nobody who comes later', async () => {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  await store.prepare();
  const create = (owner: string) =>
    store.webhooks.create({ id: newId(), version: 1, owner: { id: owner } }, fields, 'whsec_', 10);
  const [many, one] = [newId(), newId()];
  await Promise.all(Array.from({ length: 300 }, () => create(many)));
  const late = await create(one);
  await db.collection('webhooks').updateOne({ _id: new ObjectId(late?.id) }, { $set: { dueAt: new Date() } });

  const owners: (string | undefined)[] = [];
  const take: typeof store.webhooks.take = async (...args) => {
    const taken = await store.webhooks.take(...args);
    if (taken) owners.push(taken.owner);
    return taken;
  };
  const stop = startWebhooks(
    {
      store: { ...store, webhooks: { ...store.webhooks, take } },
      post: () => expect.unreachable(),
      metrics: createMetrics({ port: 0, token: undefined }),
      retryMs: 1_000,
    },
    createLogger('test', { level: 'silent', pretty: false }),
  );
  onTestFinished(stop);
  await until(async () => owners.length === 301);
  expect(owners.indexOf(one)).toBeLessThan(24);
});
