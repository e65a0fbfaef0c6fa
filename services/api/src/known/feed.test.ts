import { connectStore } from '@sluice/jobs/connect.ts';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../../../../test/support/cuttable-proxy.ts';
import { throughProxy } from '../../../../test/support/own-database.ts';
import { ownStores } from '../../../../test/support/sluice.ts';
import { createFeed } from './feed.ts';

it('tells everyone who waits when MongoDB does not answer, however many they are', async () => {
  const { hostname, port } = new URL(inject('mongodbUrl'));
  const mongodb = await createCuttableProxy({ host: hostname, port: Number(port || 27017) });
  const url = throughProxy(ownStores().MONGODB_URL as string, mongodb);
  const store = connectStore({ url, timeoutMs: 300 }, 'sluice-test', 'impatient');
  onTestFinished(async () => {
    await store.close();
    await mongodb.close();
  });
  await mongodb.stall();
  let questions = 0;
  const since = (...of: Parameters<typeof store.changes.since>) => {
    questions += 1;
    return store.changes.since(...of);
  };
  const feed = createFeed({ ...store.changes, since }, { debug: () => undefined });
  onTestFinished(feed.close);
  const waiting = Array.from({ length: 50 }, () => feed.current());
  const outcomes = await Promise.allSettled(waiting);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(50);
  expect(questions).toBeLessThanOrEqual(3);
});
