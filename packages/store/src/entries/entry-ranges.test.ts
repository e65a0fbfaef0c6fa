import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { ownDatabase } from '../../../../test/support/own-database.ts';
import { type EntryId, entryIdBytes, toKey } from './entry-id.ts';
import { splitEntries } from './pieces.ts';

const application = new ObjectId().toHexString();
const idAt = (time: number): EntryId =>
  time
    .toString(16)
    .padStart(12, '0')
    .padEnd(2 * entryIdBytes, '0');
const until = idAt(1_000_000);

/** With a milestone each 2,500 entries, at times from 1 on, of payloads of so many bytes. */
async function withMilestones(count: number, bytes: number) {
  const { db } = await ownDatabase();
  const documents = Array.from({ length: count }, (_, i) => ({
    _id: toKey(application, idAt(i + 1)),
    application: new ObjectId(application),
    rank: 2_500 * (i + 1),
    bytes: 2_500 * bytes * (i + 1),
  }));
  if (count > 0) await db.collection('milestones').insertMany(documents as never);
  return db;
}

const split = async (count: number, bytes: number, period = {}) =>
  splitEntries(await withMilestones(count, bytes), application, { until, ...period }, 2_500 * count + 7);

it('a range follows the one before it, and the last one ends where all do', async () => {
  const ranges = await split(41, 10);
  expect(ranges).toHaveLength(5);
  for (const [at, { after }] of ranges.entries()) expect(after).toBe(ranges[at - 1]?.until);
  expect(ranges.map((range) => range.until)).toEqual([idAt(11), idAt(21), idAt(31), idAt(41), until]);
  expect(ranges.reduce((sum, { entries }) => sum + entries, 0)).toBe(41 * 2_500 + 7);
});

it('ranges of large entries have fewer', async () => {
  expect(await split(11, 2_000)).toHaveLength(11);
});

it('only the milestones of a period count', async () => {
  const ranges = await split(41, 10, { from: new Date(20), to: new Date(35) });
  expect(ranges.map((range) => range.until)).toEqual([idAt(30), until]);
});

it('where there is no milestone, there is one range', async () => {
  expect(await split(0, 0)).toEqual([{ after: undefined, until, entries: 7 }]);
});

it('entries that have no milestone yet are split too', async () => {
  const db = await withMilestones(2, 2_000);
  const entries = Array.from({ length: 12_000 }, (_, i) => ({ _id: toKey(application, idAt(i + 3)) }));
  await db.collection('entries').insertMany(entries as never);
  const ranges = await splitEntries(db, application, { until: idAt(12_002) }, 17_000);
  expect(ranges).toEqual([
    { after: undefined, until: idAt(2), entries: 2_500 },
    { after: idAt(2), until: idAt(5_002), entries: 5_000 },
    { after: idAt(5_002), until: idAt(10_002), entries: 5_000 },
    { after: idAt(10_002), until: idAt(12_002), entries: 4_500 },
  ]);
});
