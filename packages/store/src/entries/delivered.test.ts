import { randomBytes } from 'node:crypto';
import { Binary, MongoClient, ObjectId } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { asCluster } from '../../../../test/support/as-cluster.ts';
import { entriesIn } from '../../../../test/support/model-entries.ts';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { payloadOf } from '../../../../test/support/payload-of.ts';
import { createIndexes } from '../indexes.ts';
import { deliveredStore } from './delivered.ts';
import { keyRecordsName } from './key-records.ts';

const application = new ObjectId().toHexString();
const hex = (hash: Buffer) => hash.toString('hex');

it.each(['a replica set', 'a cluster'])('finds the senders of entries on %s', async (where) => {
  const { url } = await ownDatabase();
  const client = new MongoClient(url, { writeConcern: { w: 'majority', journal: true } });
  onTestFinished(() => client.close());
  const isCluster = where === 'a cluster';
  const db = client.db();
  if (isCluster) await db.createCollection('entries', { clusteredIndex: { key: { _id: 1 }, unique: true } });
  const entries = entriesIn(isCluster ? asCluster(db) : db, {});
  await createIndexes(db);
  const [ofKey, ofNobody, absent, claimed] = Array.from({ length: 4 }, () => randomBytes(16)) as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ];
  await entries.insert([
    { application, ...payloadOf({ n: 1 }), once: [ofKey], by: 7 },
    { application, ...payloadOf({ n: 2 }), once: [ofNobody] },
  ]);
  // An attempt that died: the hash has a place, where nothing is.
  const name = Buffer.concat([Buffer.from(application, 'hex'), claimed]);
  const place = new Binary(Buffer.concat([Buffer.from(application, 'hex'), randomBytes(14)]));
  const records = db.collection<{ _id: Binary; entry: Binary }>(keyRecordsName);
  if (isCluster) await records.insertOne({ _id: new Binary(name), entry: place });
  const delivered = deliveredStore(db, entries.prepare);
  const found = await delivered.senders(application, {
    entries: [absent, ofNobody, claimed, ofKey],
    batches: [ofKey],
  });
  expect(found).toEqual(
    new Map([
      [hex(ofNobody), 0],
      [hex(ofKey), 7],
    ]),
  );
});

it('a batch is stored once each of its lines is decided', async () => {
  const { url } = await ownDatabase();
  const { prepare, batches, delivered } = openStore(url);
  await prepare();
  const record = { idempotencyHash: randomBytes(16), application, hash: randomBytes(32), by: 3 };
  const senders = () => delivered.senders(application, { entries: [], batches: [record.idempotencyHash] });
  await batches.first(record, 9, (turn) => turn.begin());
  expect(await batches.lookUp(record)).toMatchObject({ known: 'again' });
  expect(await senders()).toEqual(new Map());
  await batches.settle(record);
  expect(await senders()).toEqual(new Map([[hex(record.idempotencyHash), 3]]));
});

it('a batch that is stored as a whole is decided', async () => {
  const { url } = await ownDatabase();
  const { prepare, batches, delivered } = openStore(url);
  await prepare();
  const record = { idempotencyHash: randomBytes(16), application, hash: randomBytes(32), by: 3 };
  async function* chunks() {
    yield [{ application, ...payloadOf({ n: 1 }) }];
  }
  await batches.storeAll(chunks, record);
  const found = await delivered.senders(application, { entries: [], batches: [record.idempotencyHash] });
  expect(found).toEqual(new Map([[hex(record.idempotencyHash), 3]]));
});
