import { Binary, Long, MongoClient, MongoServerError, ObjectId, type UUID } from 'mongodb';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { startMongos } from './start-mongos.ts';

type Options = Omit<Parameters<typeof startMongos>[0], 'url'>;

/** A stand-in before the tests' MongoDB, and a client of it that is called as one of Sluice. */
async function start(options: Options = {}) {
  const mongos = await startMongos({ url: inject('mongodbUrl'), ...options });
  const client = new MongoClient(mongos.url, { appName: 'sluice-test/any' });
  const db = client.db(`sluice_test_${new ObjectId().toHexString()}`);
  onTestFinished(async () => {
    mongos.heal();
    await db.dropDatabase();
    await client.close();
    await mongos.stop();
  });
  return {
    mongos,
    client,
    db,
    admin: client.db('admin'),
    ns: (name: string) => `${db.databaseName}.${name}`,
  };
}

const keyOf = (application: ObjectId, n: number) => {
  const key = Buffer.concat([application.id], 26);
  key.writeUInt32BE(n, 22);
  return new Binary(key);
};
const codeOf = (asking: Promise<unknown>) =>
  asking.then(
    () => 0,
    (error) => (error instanceof MongoServerError ? Number(error.code) : error),
  );

describe('the stand-in for mongos', () => {
  it('says that it is mongos, and has sessions, transactions and snapshots', async () => {
    const { client, db } = await start();
    const hello = await db.command({ hello: 1 });
    expect(hello).toMatchObject({
      isWritablePrimary: true,
      msg: 'isdbgrid',
      logicalSessionTimeoutMinutes: 30,
    });
    for (const name of ['setName', 'hosts', 'primary', 'lastWrite', 'topologyVersion'])
      expect(hello).not.toHaveProperty(name);
    const things = db.collection('things');
    await db.createCollection('things');
    await client.withSession((session) =>
      session.withTransaction(() =>
        things.insertOne({ n: Long.fromString('9007199254740993') }, { session }),
      ),
    );
    const seen = await client.withSession({ snapshot: true }, (session) =>
      things.find({}, { session }).toArray(),
    );
    expect(seen).toHaveLength(1);
    expect(await things.countDocuments({ n: Long.fromString('9007199254740993') })).toBe(1);
  });

  it.each([
    ['replSetGetStatus', 59],
    ['replSetStepDown', 59],
    ['dbHash', 59],
    ['applyOps', 59],
  ])('does not know %s', async (name, code) => {
    const { admin } = await start();
    expect(await codeOf(admin.command({ [name]: 1 }))).toBe(code);
  });

  it('has no oplog', async () => {
    const { client } = await start();
    expect(await codeOf(client.db('local').collection('oplog.rs').findOne())).toBe(20);
  });

  it('shards a collection, splits it and moves chunks, and config tells what it has', async () => {
    const { client, db, admin, ns, mongos } = await start();
    const things = db.collection('things');
    await things.createIndex({ application: 1, n: 1 }, { unique: true });
    await admin.command({ enableSharding: db.databaseName });
    expect(await admin.command({ shardCollection: ns('things'), key: { application: 1 } })).toMatchObject({
      ok: 1,
      collectionsharded: ns('things'),
    });
    const middle = { application: new ObjectId() };
    await admin.command({ split: ns('things'), middle });
    expect(await codeOf(admin.command({ split: ns('things'), middle }))).toBe(96);
    await admin.command({ moveChunk: ns('things'), find: middle, to: 'shard-b' });
    expect(await codeOf(admin.command({ moveChunk: ns('things'), find: middle, to: 'shard-c' }))).toBe(70);
    const config = client.db('config');
    const found = await config
      .collection<{ _id: string; uuid: UUID }>('collections')
      .findOne({ _id: ns('things') });
    expect(found).toMatchObject({ key: { application: 1 }, unique: false });
    const chunks = await config.collection('chunks').find({ uuid: found?.uuid }).sort({ min: 1 }).toArray();
    expect(chunks.map(({ shard }) => shard)).toEqual(['shard-a', 'shard-b']);
    expect(chunks[1]?.min).toEqual(middle);
    expect((await admin.command({ listShards: 1 })).shards).toHaveLength(2);
    await admin.command({ balancerStop: 1 });
    expect(await admin.command({ balancerStatus: 1 })).toMatchObject({ mode: 'off' });
    expect(mongos.isSharded(ns('things'))).toBe(true);
    await db.dropDatabase();
    expect(mongos.isSharded(ns('things'))).toBe(false);
  });

  it('refuses what cannot be unique over shards, or is not aimed at one', async () => {
    const { db, admin, ns } = await start({ mayScatter: () => true });
    const things = db.collection('things');
    await things.createIndex({ once: 1 }, { unique: true });
    const shard = { shardCollection: ns('things'), key: { application: 1 } };
    expect(await codeOf(admin.command(shard))).toBe(72);
    await things.dropIndexes();
    await admin.command(shard);
    expect(await codeOf(things.createIndex({ once: 1 }, { unique: true }))).toBe(67);
    expect(await codeOf(things.updateOne({ n: 1 }, { $set: { n: 2 } }))).toBe(72);
    expect(await codeOf(things.deleteOne({ n: 1 }))).toBe(72);
    expect(await codeOf(things.findOneAndUpdate({ n: 1 }, { $set: { n: 2 } }))).toBe(61);
    expect(await codeOf(things.updateMany({ n: 1 }, { $set: { n: 2 } }))).toBe(0);
  });

  it('counts the shards that a command asks, and refuses one that names no range', async () => {
    const { db, mongos } = await start({ sharded: { entries: { _id: 1 } } });
    const entries = db.collection<{ _id: Binary; n?: number }>('entries');
    const applications = Array.from({ length: 20 }, () => new ObjectId());
    for (const application of applications) await entries.insertOne({ _id: keyOf(application, 1) });
    mongos.forget();
    const [first] = applications as [ObjectId];
    const range = { $gte: keyOf(first, 0), $lt: keyOf(first, 9) };
    expect(await entries.countDocuments({ _id: range })).toBe(1);
    expect(await entries.find({ $and: [{ _id: range }, { n: { $exists: false } }] }).toArray()).toHaveLength(
      1,
    );
    await entries.deleteMany({ _id: { $in: applications.map((one) => keyOf(one, 2)) } });
    expect(await codeOf(entries.find({ n: 1 }).toArray())).toBe(61);
    expect(await codeOf(entries.find({ _id: { $gt: keyOf(first, 0) } }).toArray())).toBe(61);
    expect(mongos.commands()).toMatchObject([
      { command: 'aggregate', shape: '_id', shards: 1, chunks: 1, isNamed: true },
      { command: 'find', shards: 1, chunks: 1, isNamed: true },
      { command: 'delete', shape: '_id', shards: 2, chunks: 20, isNamed: true },
      { command: 'find', shape: 'n', shards: 2, isNamed: false },
      { command: 'find', shape: '_id', isNamed: false },
    ]);
  });

  it('fails at random, by its seed, and never says that what is lost is stored', async () => {
    const { db, mongos } = await start();
    const things = db.collection<{ _id: number }>('things');
    await db.createCollection('things');
    const counts = mongos.fail({ seed: 7, oneIn: 3 });
    const stored = new Set<number>();
    for (let n = 0; n < 60; n++)
      await things.insertOne({ _id: n }).then(
        () => stored.add(n),
        (error) => error.code === 11000 && stored.add(n),
      );
    mongos.heal();
    const found = new Set((await things.find().toArray()).map(({ _id }) => _id));
    expect(found.isSupersetOf(stored)).toBe(true);
    expect(Object.keys(counts).sort()).toEqual(['cut', 'refused', 'unanswered', 'unconfirmed']);
  });
});
