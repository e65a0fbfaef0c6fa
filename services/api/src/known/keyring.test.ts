import { createLogger } from '@sluice/shared/logger.ts';
import { ObjectId } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { until } from '../../../../test/support/sluice.ts';
import { createFeed } from './feed.ts';
import { createKeyring, makeKey } from './keyring.ts';

async function start() {
  const store = openStore((await ownDatabase()).url);
  await store.prepare();
  const feed = createFeed(store.changes, createLogger('test', { level: 'silent', pretty: false }));
  onTestFinished(feed.close);
  let reads = 0;
  const keys: typeof store.keys = {
    ...store.keys,
    hashes(application) {
      reads += 1;
      return store.keys.hashes(application);
    },
  };
  const keyring = createKeyring({ ...store, keys }, feed);
  onTestFinished(keyring.close);
  const application = {
    id: new ObjectId().toHexString(),
    domain: 'test',
    editors: [],
    ownerIsDisabled: false,
  };
  return {
    reads: () => reads,
    send: (key: string, keyRequired: boolean) =>
      keyring.admit({ ...application, keyRequired }, { 'x-api-key': key }),
    async create(): Promise<{ id: string; key: string }> {
      const { key, ...made } = makeKey();
      const created = await store.keys.create(application.id, { name: 'Test' }, made, 'ada', 100);
      return { id: created?.id as string, key };
    },
  };
}

it('wrong keys ask MongoDB once a second where none is required, and a new key is known after it', async () => {
  const { reads, send, create } = await start();
  const known = await create();
  expect(await send(known.key, false)).toMatchObject({ id: known.id });
  const began = performance.now();
  const before = reads();
  for (let n = 0; n < 200; n++) expect(await send(`sk_${n}`, false)).toBeUndefined();
  expect(reads() - before).toBeLessThanOrEqual(1 + (performance.now() - began) / 1_000);
  const added = await create();
  await until(async () => (await send(added.key, false))?.id === added.id);
  expect(await send(known.key, false)).toMatchObject({ id: known.id });
});

it('a new key is known at once where one is required, whatever wrong ones come', async () => {
  const { send, create } = await start();
  for (let n = 0; n < 5; n++) {
    await expect(send(`sk_${n}`, true)).rejects.toThrow('not a valid ingest key');
    const { id, key } = await create();
    expect(await send(key, true)).toMatchObject({ id });
  }
});
