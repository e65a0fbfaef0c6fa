import { type Binary, BSON, ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { modelEntries } from '../../../../test/support/model-entries.ts';
import { ownDatabase } from '../../../../test/support/own-database.ts';
import { inSnapshot } from '../in-snapshot.ts';
import { toKey } from './entry-id.ts';

interface Stored {
  _id: Binary;
  application: ObjectId;
  rank: number;
}

/** An application with an entry in each of so many milliseconds from 1,000 on. */
async function start(count: number, spacing = 5) {
  const { db } = await ownDatabase();
  const model = await modelEntries(db, { spacing });
  await model.insert(Array.from({ length: count }, (_, n) => 1_000 + n));
  const oldestFirst = model.all().reverse();
  const keyOf = (rank: number) => oldestFirst[rank - 1]?.key as Binary;
  return { ...model, db, keyOf, stored: db.collection<Stored>('milestones') };
}

it('sets as many milestones as it may, each once, and none above the bound', async () => {
  const { milestones, application, ranks } = await start(40);
  const settled: number[] = [];
  for (const [bound, limit] of [
    [1_004, 9],
    [1_005, 9],
    [1_030, 2],
    [1_030, 9],
    [1_030, 9],
    [1_000, 9],
  ] as const)
    settled.push(await milestones.set(application, bound, limit));
  expect(settled).toEqual([0, 1, 2, 3, 0, 0]);
  expect((await ranks()).set).toEqual([5, 10, 15, 20, 25, 30]);
});

it('sets the same milestones in many workers at once', async () => {
  const { milestones, application, ranks } = await start(60);
  const own = await Promise.all(Array.from({ length: 8 }, () => milestones.set(application, 2_000, 100)));
  expect(own.reduce((sum, set) => sum + set)).toBe(12);
  const { set, counted } = await ranks();
  expect(set).toEqual(counted);
  expect(set).toHaveLength(12);
});

it('says so when what another worker set is not the same', async () => {
  const { milestones, application, keyOf, stored } = await start(40);
  await milestones.set(application, 1_005, 1);
  const first = (await stored.findOne()) as Stored;
  await stored.insertOne({ ...first, _id: keyOf(3), rank: 10 });
  await expect(milestones.set(application, 1_040, 9)).rejects.toThrow('an entry came late');
});

it('knows the entries and bytes of an application, with milestones and beyond them', async () => {
  const { milestones, application, insert, stored } = await start(0);
  const payload = (n: number) => ({ n, text: 'x'.repeat(n % 7) });
  const usage = async () => ({ ...(await milestones.usage(application)) });
  const expected = (count: number) => ({
    entries: count,
    bytes: Array.from({ length: count }, (_, n) => BSON.calculateObjectSize(payload(n))).reduce(
      (a, b) => a + b,
      0,
    ),
  });
  expect(await usage()).toEqual(expected(0));
  await insert(
    Array.from({ length: 23 }, (_, n) => 1_000 + n),
    payload,
  );
  expect(await usage()).toEqual(expected(23));
  await milestones.set(application, 1_012, 9);
  expect(await stored.countDocuments()).toBe(2);
  expect(await usage()).toEqual(expected(23));
  await milestones.set(application, 1_040, 9);
  expect(await stored.countDocuments()).toBe(4);
  expect(await usage()).toEqual(expected(23));
  // The sums are what is used: the entries below are not read again.
  await stored.updateOne({ application: new ObjectId(application), rank: 20 }, { $inc: { bytes: 1 } });
  expect((await usage()).bytes).toBe(expected(23).bytes + 1);
});

it('finds the first milestone above a place, and counts what is below the end', async () => {
  const { db, milestones, application, keyOf } = await start(20);
  await milestones.set(application, 1_012, 9);
  const find = (end: object, start: number) =>
    inSnapshot(db, (session) => milestones.place(session, application, end, start));
  const above = async (start: number) => (await find({ $lte: keyOf(20) }, start)).above?.rank;
  expect(await Promise.all([19, 15, 13, 10, 9].map(above))).toEqual([5, 5, 10, 10, undefined]);
  const found = await find({ $lt: keyOf(13) }, 4);
  expect(found.rank).toBe(12);
  expect(found.above?.key.toString('hex')).toBe(keyOf(10).toString('hex'));
});

it('finds it also where very many entries have no milestone yet', async () => {
  const { milestones, application, keyOf } = await start(800);
  await milestones.set(application, 1_500, 999);
  const { rank, above } = await milestones.place(undefined, application, { $lte: keyOf(800) }, 450);
  expect([rank, above?.rank]).toEqual([800, 350]);
});

it('finds a nearer entry that a milestone marks, where nothing was deleted', async () => {
  const { milestones, application, keyOf } = await start(250, 100);
  await milestones.set(application, 2_000, 9);
  const find = async (start: number) =>
    (await milestones.place(undefined, application, { $lte: keyOf(250) }, start)).above;
  const ranks = await Promise.all([50, 51, 60, 61, 140, 149, 150, 240, 249].map(find));
  expect(ranks.map((above) => above?.rank)).toEqual([200, 200, 190, 190, 110, 110, 100, 10, 10]);
  for (const above of ranks) expect(above?.key.toString('hex')).toBe(keyOf(above?.rank ?? 0).toString('hex'));
});

it('counts up to a key, and with it', async () => {
  const { milestones, application, keyOf } = await start(20);
  await milestones.set(application, 1_012, 9);
  const count = (...range: [end: object, from?: Binary]) => milestones.count(application, ...range);
  expect(await count({ $lt: keyOf(10) })).toBe(9);
  expect(await count({ $lte: keyOf(10) })).toBe(10);
  expect(await count({ $lt: keyOf(10), $lte: keyOf(3) })).toBe(3);
  expect(await count({ $lt: keyOf(10) }, keyOf(5))).toBe(5);
  expect(await count({ $lte: keyOf(10) }, keyOf(5))).toBe(6);
  expect(await count({ $lt: keyOf(5) }, keyOf(5))).toBe(0);
  expect(await count({ $lt: keyOf(5) }, keyOf(10))).toBe(0);
  expect(await milestones.count(application)).toBe(20);
  expect(await count({ $lte: toKey(application, 'f'.repeat(28)) }, keyOf(2))).toBe(19);
});

it('says how much is to be settled, up to what a milestone takes', async () => {
  const { milestones, application } = await start(20);
  const countAbove = (bound: number, since?: number) => milestones.countAbove(application, bound, since);
  expect(await countAbove(1_003)).toBe(3);
  expect(await countAbove(1_020)).toBe(5);
  expect(await countAbove(1_003, 1_001)).toBe(2);
  expect(await countAbove(1_003, 1_003)).toBe(0);
  await milestones.set(application, 1_012, 9);
  expect(await countAbove(1_012)).toBe(2);
  expect(await countAbove(1_005)).toBe(0);
});
