import { createHash } from 'node:crypto';
import { type Db, ObjectId } from 'mongodb';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../../../../test/support/cuttable-proxy.ts';
import { modelEntries } from '../../../../test/support/model-entries.ts';
import { openStore, ownDatabase, throughProxy } from '../../../../test/support/own-database.ts';
import { payloadOf } from '../../../../test/support/payload-of.ts';
import type { Block } from './block.ts';
import { collectionNames } from './read-database.ts';

const owner = { id: 'b'.repeat(24), username: 'b' };
const fields = { name: 'a', type: 'other', connectors: [], rawSchema: '{}', owner };

/** A database with an application that has old entries, and what makes a backup of it. */
async function start() {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  await store.prepare();
  const { id: application } = (await store.applications.create({ ...fields, domain: 'a' })) as { id: string };
  const model = await modelEntries(db, { spacing: 5, application });
  await model.insert(Array.from({ length: 3_000 }, (_, n) => 1_000_000 + n));
  return { db, url, store, application, model };
}

/** A backup of which the first block, of old entries, is read. */
async function begin(store: ReturnType<typeof openStore>) {
  const startedAt = await store.backup.now();
  const reading = store.backup.read();
  const blocks = [(await reading.next()).value as Block];
  return {
    startedAt,
    async finish(): Promise<Block[]> {
      for await (const block of reading) blocks.push(block);
      return blocks;
    },
  };
}

async function* each(blocks: Block[]) {
  yield* blocks;
}

/** Of all documents in each collection that has some. A cluster has no dbHash, and restoring into one creates collections. */
async function hashes(db: Db): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await collectionNames(db)) {
    if (['milestones', 'horizon', 'operations'].includes(name)) continue;
    if ((await db.collection(name).findOne()) === null) continue;
    const hash = createHash('sha256');
    const documents = db.collection(name).find({}, { raw: true }).sort({ _id: 1 });
    for await (const document of documents as AsyncIterable<unknown>) hash.update(document as Uint8Array);
    found[name] = hash.digest('hex');
  }
  return found;
}

async function restored(blocks: Block[], startedAt: Date) {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  await store.backup.restore(each(blocks), startedAt);
  return { db, url, store };
}

const numbers = (blocks: Block[], collection: string) =>
  blocks.filter((block) => block.collection === collection).flatMap(({ documents }) => documents).length;

describe('a backup', () => {
  it('restores every document as it was, with those that came before its end, each once', async () => {
    const { db, store, application } = await start();
    const backup = await begin(store);
    const payload = (n: number) => payloadOf(`{"big":9223372036854775807,"float":1.5,"n":${n}}`);
    await store.entries.insert(Array.from({ length: 500 }, (_, n) => ({ application, ...payload(n) })));
    await store.parts.put(new ObjectId().toHexString(), Buffer.from('part'));
    const copy = await restored(await backup.finish(), backup.startedAt);
    expect(await hashes(copy.db)).toEqual(await hashes(db));
    expect(await hashes(db)).toHaveProperty('entries');
    expect(await copy.store.entries.count(application, {})).toBe(3_500);
  });

  it('has the entries of a chunk that was taken up again while it was made', async () => {
    const { db, store, model, application } = await start();
    const job = new ObjectId().toHexString();
    await store.chunks.add({ job, application, seq: 0, lines: 1, part: job, bytes: 1 });
    await db.collection('chunks').updateOne({}, { $set: { stamp: 1_001_500 } });
    const backup = await begin(store);
    await model.insert([1_001_500]);
    await db.collection('chunks').updateOne({}, { $set: { state: 'done' } });
    expect(numbers(await backup.finish(), 'entries')).toBe(3_001);
  });

  it('has older entries that an import brought while it was made, and all others once', async () => {
    const { db, store, application, model } = await start();
    const backup = await begin(store);
    await store.milestones.removeFrom(application, 500_000);
    await model.insert([500_000, 1_000_500, Date.now()]);
    const copy = await restored(await backup.finish(), backup.startedAt);
    expect((await hashes(copy.db)).entries).toBe((await hashes(db)).entries);
    expect(await copy.store.entries.count(application, {})).toBe(3_003);
  });

  it('has a deleted application that can be restored, with its entries', async () => {
    const { store, application } = await start();
    await store.applications.remove('a', owner.id, 60_000);
    const backup = await begin(store);
    const copy = await restored(await backup.finish(), backup.startedAt);
    expect(await copy.store.applications.restore('a', owner.id)).toBe(true);
    expect(await copy.store.entries.count(application, {})).toBe(3_000);
  });

  it('has an application that was deleted and purged meanwhile as one that is to be purged', async () => {
    const { store, application } = await start();
    const backup = await begin(store);
    await store.applications.remove('a', owner.id, 0);
    for await (const _ of store.entries.purge(application, 2_000));
    await store.removeRest(application);
    await store.applications.markPurged(application);
    const blocks = await backup.finish();
    expect(numbers(blocks, 'entries')).toBeGreaterThan(0);
    const copy = await restored(blocks, backup.startedAt);
    expect(await copy.store.applications.unpurged(10)).toEqual([application]);
    expect(await copy.store.applications.byDomain('a')).toBeUndefined();
  });

  it('goes on where it was when answers of MongoDB are lost', async () => {
    const { db, url } = await start();
    const { hostname, port } = new URL(inject('mongodbUrl'));
    const proxy = await createCuttableProxy({ host: hostname, port: Number(port) });
    onTestFinished(proxy.close);
    const beforeSnapshot = proxy.loseAnswerTo('entries', 2);
    const backup = await begin(openStore(throughProxy(url, proxy)));
    expect(beforeSnapshot.left).toBe(0);
    const inSnapshot = proxy.loseAnswerTo('atClusterTime', 3);
    const copy = await restored(await backup.finish(), backup.startedAt);
    expect(inSnapshot.left).toBe(0);
    expect(await hashes(copy.db)).toEqual(await hashes(db));
  });
});

describe('a restore', () => {
  it('leaves a database that no service uses when the backup ends too early, until another one is complete', async () => {
    const { store, url } = await start();
    const backup = await begin(store);
    const blocks = await backup.finish();
    const broken = (async function* () {
      yield* blocks.slice(0, 2);
      throw new Error('truncated');
    })();
    await expect(store.backup.restore(broken, backup.startedAt)).rejects.toThrow('truncated');
    await expect(openStore(url).prepare()).rejects.toThrow('only part of a backup');
    await expect(openStore(url).backup.read().next()).rejects.toThrow('only part of a backup');
    await openStore(url).backup.restore(each(blocks), backup.startedAt);
    await openStore(url).prepare();
  });

  it('makes the entries a clustered collection with its index, as the services do', async () => {
    const { db, store } = await start();
    const backup = await begin(store);
    const copy = await restored(await backup.finish(), backup.startedAt);
    for (const name of ['entries', 'jobs', 'parts', 'audit', 'applications'])
      expect(await copy.db.collection(name).indexes()).toEqual(await db.collection(name).indexes());
  });
});
