import { type Db, ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import type { ApplicationRecord } from './applications.ts';

const owner = { id: new ObjectId().toHexString(), username: 'ada' };
const rawSchema = '{"type":"object"}';
const next = { rawSchema: '{"type":"object","required":["b"]}', createdBy: 'ada', fields: ['/b', '/c'] };

async function start() {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  await store.prepare();
  const create = (domain: string) =>
    store.applications.create({
      owner,
      domain,
      rawSchema,
      name: 'a',
      type: 'other',
      connectors: [],
    }) as Promise<ApplicationRecord>;
  return { db, store, create };
}

const contentsOf = (db: Db) =>
  Promise.all(['applications', 'schemas', 'fields'].map((name) => db.collection(name).find().toArray()));

it('publishes a version whose fields are on record', async () => {
  const { store, create } = await start();
  const application = await create('a');
  const published = await store.schemas.publish(application, next);
  expect(published).toMatchObject({ version: 2, rawSchema: next.rawSchema });
  expect((await store.fields.of(application.id)).pointers).toEqual(next.fields);
  expect(await store.schemas.of(published as ApplicationRecord, 1)).toMatchObject({ version: 1, rawSchema });
});

it('leaves nothing of a publication that is refused', async () => {
  const { db, store, create } = await start();
  const application = await create('a');
  await store.schemas.publish(application, next);
  const before = await contentsOf(db);
  expect(await store.schemas.publish(application, { ...next, fields: ['/d'] })).toBeUndefined();
  expect(await contentsOf(db)).toEqual(before);
});

it.each(['applications', 'schemas', 'fields'])(
  'leaves nothing of a publication that fails at its write to %s',
  async (collection) => {
    const { db, store, create } = await start();
    const application = await create('a');
    await store.fields.add(application.id, ['/a']);
    const before = await contentsOf(db);
    // MongoDB refuses each write.
    await db.command({ collMod: collection, validator: { never: true } });
    await expect(store.schemas.publish(application, next)).rejects.toThrow('Document failed validation');
    expect(await contentsOf(db)).toEqual(before);
    await db.command({ collMod: collection, validator: {} });
    expect(await store.schemas.publish(application, next)).toMatchObject({ version: 2 });
    expect((await store.fields.of(application.id)).pointers).toEqual(['/a', '/b', '/c']);
  },
);

it('publishes also while uploads add fields', async () => {
  const { store, create } = await start();
  for (let n = 0; n < 40; n++) {
    const application = await create(`a-${n}`);
    const [published] = await Promise.all([
      store.schemas.publish(application, next),
      ...['/b', '/x', '/y', '/z'].map((field) => store.fields.add(application.id, [field])),
    ]);
    expect(published).toMatchObject({ version: 2 });
    expect((await store.fields.of(application.id)).pointers.toSorted()).toEqual([
      ...['/b', '/c'],
      ...['/x', '/y', '/z'],
    ]);
  }
});
