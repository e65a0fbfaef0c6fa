import { randomBytes } from 'node:crypto';
import { type Binary, MongoClient, ObjectId } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { asCluster } from '../../../../test/support/as-cluster.ts';
import { entriesIn } from '../../../../test/support/model-entries.ts';
import { ownDatabase } from '../../../../test/support/own-database.ts';
import { payloadOf } from '../../../../test/support/payload-of.ts';
import { until } from '../../../../test/support/sluice.ts';
import type { NewEntry } from './entries.ts';
import { keyRecordsName, recordKeys, removeKeyRecords } from './key-records.ts';

async function start() {
  const { url } = await ownDatabase();
  const client = new MongoClient(url, { writeConcern: { w: 'majority', journal: true } });
  onTestFinished(() => client.close());
  const db = client.db();
  const application = new ObjectId().toHexString();
  const [one, other] = [randomBytes(16), randomBytes(16)];
  const entry = (idempotencyHash: Buffer, n = 1) => ({
    application,
    ...payloadOf({ n }),
    once: [idempotencyHash],
  });
  const records = db.collection(keyRecordsName);
  return { db, application, one, other, entry, records, onReplicaSet: entriesIn(db, {}) };
}

it('keys of a replica set hold on a cluster, before and after they are moved', async () => {
  const { db, application, one, other, entry, onReplicaSet, records } = await start();
  expect(await onReplicaSet.insert([entry(one)])).toEqual(['stored']);
  const onCluster = entriesIn(asCluster(db), {});
  expect(await onCluster.insert([entry(one), entry(other), entry(one, 2)])).toEqual([
    ...['repeated', 'stored', 'conflicting'],
  ]);
  expect(await onReplicaSet.insert([entry(other)])).toEqual(['repeated']);
  const outcomes = async () => {
    const asked = [one, other].map((hash) => ({ once: [hash], json: entry(one).json }));
    return (await onCluster.before(application, asked)).map((before) => before?.outcome);
  };
  expect(await outcomes()).toEqual(['repeated', 'repeated']);

  await recordKeys(db);
  expect(await records.countDocuments()).toBe(2);
  await db.collection('entries').dropIndex('once_1');
  expect(await outcomes()).toEqual(['repeated', 'repeated']);
  expect(await onCluster.insert([entry(one), entry(other)])).toEqual(['repeated', 'repeated']);
  const restarted = entriesIn(asCluster(db), {});
  expect(await restarted.insert([entry(one), entry(other), entry(one, 2)])).toEqual([
    ...['repeated', 'repeated', 'conflicting'],
  ]);
  expect(await restarted.count(application, {})).toBe(2);
});

it('a process that looks for a key when the index has just gone fails once, and then finds it', async () => {
  const { db, application, one, entry } = await start();
  await entriesIn(db, {}).insert([entry(one)]);
  const onCluster = entriesIn(asCluster(db), {});
  await onCluster.prepare();
  await db.collection('entries').dropIndex('once_1');
  const asked = [{ once: [one], json: entry(one).json }];
  await expect(onCluster.before(application, asked)).rejects.toThrow('hint');
  await recordKeys(db);
  expect(await onCluster.before(application, asked)).toMatchObject([{ outcome: 'repeated' }]);
});

it.each(['a replica set', 'a cluster'])(
  'stored entries on %s get their values, each the first one that has it',
  async (where) => {
    const { db, application, one, other, entry, onReplicaSet } = await start();
    const entries = where === 'a cluster' ? entriesIn(asCluster(db), {}) : onReplicaSet;
    const stored: NewEntry[] = [1, 2, 3].map((n) => ({
      application,
      ...payloadOf({ n }),
      once: n === 2 ? [other] : undefined,
    }));
    for (const each of stored) await entries.insert([each]);
    const value = randomBytes(16);
    const given = stored.map(({ key }, at) => ({
      key: Buffer.from((key as Binary).buffer),
      hash: at === 2 ? value : one,
    }));
    given[1] = { ...(given[1] as (typeof given)[0]), hash: value };
    for (let time = 0; time < 2; time++) await entries.giveValues(given);
    const outcomes = await entries.insert([
      { ...entry(one, 1), valueSince: 0 },
      { ...entry(one, 9), valueSince: 0 },
      { ...entry(value, 2), valueSince: 0 },
      { ...entry(value, 3), valueSince: 0 },
      // Its key holds as before.
      entry(other, 2),
    ]);
    expect(outcomes).toEqual(['repeated', 'duplicate', 'repeated', 'duplicate', 'repeated']);
    expect(await entries.count(application, {})).toBe(3);
  },
);

it('the keys of one application go without those of others', async () => {
  const { db, application, one, other, entry, records } = await start();
  const onCluster = entriesIn(asCluster(db), {});
  const elsewhere = new ObjectId().toHexString();
  await onCluster.insert([entry(one), { ...entry(other), application: elsewhere }]);
  await removeKeyRecords(db, application);
  const left = await records.find().toArray();
  expect(left.map(({ _id }) => _id.toString('hex').slice(0, 24))).toEqual([elsewhere]);
});

it('unique values hold beside keys on a cluster, also once they are moved, and until they are too old', async () => {
  const { db, application, one, other, onReplicaSet, records } = await start();
  const now = Date.now();
  const of = (n: number, once: Buffer[], valueSince?: number) => ({
    application,
    ...payloadOf({ n }),
    once,
    valueSince,
  });
  expect(await onReplicaSet.insert([of(1, [one, other], 0)])).toEqual(['stored']);
  await entriesIn(asCluster(db), {}).prepare();
  await recordKeys(db);
  expect(await records.countDocuments()).toBe(2);
  await db.collection('entries').dropIndex('once_1');
  const onCluster = entriesIn(asCluster(db), {});
  const again = [of(1, [one], 0), of(2, [one], 0), of(2, [other]), of(1, [randomBytes(16), other], 0)];
  expect(await onCluster.insert(again)).toEqual(['repeated', 'duplicate', 'conflicting', 'repeated']);
  const later = now + 60_000;
  expect(await onCluster.before(application, [of(2, [one], later)])).toEqual([undefined]);
  await until(async () => (await onCluster.insert([of(2, [one], later)]))[0] === 'stored');
  expect(await onCluster.insert([of(2, [one], 0), of(1, [one], 0), of(1, [other])])).toEqual([
    ...['repeated', 'duplicate', 'repeated'],
  ]);
  expect(await onCluster.count(application, {})).toBe(2);
});
