import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { PageTooLarge } from '../entries/read-page.ts';
import { createCountKeys } from './refusal-counts.ts';
import type { RefusedRecord } from './refused-records.ts';

async function begin() {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  await store.prepare();
  return { db, ...store, application: new ObjectId().toHexString() };
}

const dayMs = 86_400_000;
const minuteMs = 60_000;

function recordAt(application: string, ms: number, size = 10): RefusedRecord {
  return {
    id: ObjectId.createFromTime(Math.floor(ms / 1_000)).toHexString(),
    application,
    at: new Date(ms),
    source: 'upload',
    version: 1,
    name: 'SchemaValidationError',
    message: '',
    details: [],
    path: '',
    keyword: 'type',
    payload: '{}',
    truncated: false,
    size,
  };
}

const page = { start: 0, limit: 1_000, onRead: () => {} };

it('what is kept twice is there once', async () => {
  const { refused, application } = await begin();
  const records = [recordAt(application, 1_000), recordAt(application, 2_000)];
  await refused.keep(records.slice(0, 1));
  await refused.keep(records);
  expect(await refused.page(application, {}, page)).toEqual(records.toReversed());
});

it.each([
  ['number', { limit: 3, days: 365 }, 10, 3],
  ['age', { limit: 100, days: 2 }, 10, 2],
  ['bytes', { limit: 100, days: 365 }, 20 * 1024 ** 2, 3],
])('the oldest go by %s, and nothing of others', async (_what, limits, size, left) => {
  const { refused, application } = await begin();
  const now = Date.now();
  const records = [8, 6, 4, 3, 1, 0].map((days) => recordAt(application, now - days * dayMs, size));
  const others = recordAt(new ObjectId().toHexString(), now - 300 * dayMs);
  await refused.keep([...records, others]);
  await refused.trim(application, limits);
  const kept = await refused.page(application, {}, { ...page, limit: 1 });
  expect(kept).toEqual(records.slice(-1));
  expect(await refused.count(application, {})).toBe(left);
  expect(await refused.count(others.application, {})).toBe(1);
  await refused.trim(application, limits);
  expect(await refused.count(application, {})).toBe(left);
});

it('who trims at the same time as others removes no more than they do', async () => {
  const { refused, application } = await begin();
  const now = Date.now();
  for (let round = 0; round < 5; round++) {
    await refused.keep(Array.from({ length: 400 }, (_, n) => recordAt(application, now - 1_000 * n)));
    const trimming = [300, 200, 200, 200, 100].map((limit) =>
      refused.trim(application, { limit, days: 365 }),
    );
    await Promise.all(trimming);
    expect(await refused.count(application, {})).toBe(100);
    await refused.remove(application, {});
  }
});

it('what was recorded without a property is a group of its own', async () => {
  const { db, refused, refusalCounts, applications, application } = await begin();
  const [path, keyword, message, at] = ['', 'required', 'no', new Date(minuteMs)];
  const newKey = createCountKeys();
  const reasons = [{}, { property: 'place' }, { property: 'time' }].map((named, n) => ({
    ...named,
    path,
    keyword,
    message,
    count: 9 - n,
    firstAt: at,
    lastAt: at,
  }));
  await refusalCounts.write([{ key: newKey(application, minuteMs), total: 24, reasons }]);
  const records = reasons.map(({ property }, n) => ({
    ...recordAt(application, minuteMs + 1_000 * n),
    path,
    keyword,
    ...(property && { property }),
  }));
  await refused.keep(records);
  expect(await refusalCounts.totals(application, {}, 10)).toEqual(
    reasons.map((reason) => ({ ...reason, hours: [{ at: new Date(0), count: reason.count }] })),
  );
  const kept = records.map(({ id, property, message, at }) => ({
    path,
    keyword,
    ...(property && { property }),
    message,
    firstAt: at,
    lastAt: at,
    kept: 1,
    newest: id,
  }));
  expect(await refused.kept(application, {})).toEqual(expect.arrayContaining(kept));
  for (const [at, property] of ['', 'place', 'time'].entries())
    expect(await refused.page(application, { path, keyword, property }, page)).toEqual([records[at]]);
  expect(await refused.count(application, { path, keyword })).toBe(3);

  const _id = new ObjectId(application);
  await db.collection('applications').insertOne({ _id });
  for (const { property } of reasons)
    await applications.dismiss(application, { path, keyword, property }, at);
  await applications.dismiss(application, { path, keyword });
  const found = await db.collection('applications').findOne({ _id });
  expect(found?.dismissed).toEqual([
    { path, keyword, property: 'place', at },
    { path, keyword, property: 'time', at },
  ]);
});

it('a page that is too large says how many of them fit', async () => {
  const { refused, application } = await begin();
  const records = [1, 2, 3, 4].map((n) => recordAt(application, n * 1_000, 6 * 1024 ** 2));
  await refused.keep(records);
  await expect(refused.page(application, {}, page)).rejects.toEqual(new PageTooLarge(2));
  expect(await refused.page(application, {}, { ...page, limit: 3 })).toHaveLength(3);
});

it('counts go by age, the oldest by bytes, and others stay', async () => {
  const { db, refusalCounts, application } = await begin();
  const newKey = createCountKeys();
  const other = new ObjectId().toHexString();
  const message = 'x'.repeat(1_000_000);
  const at = new Date(0);
  const reasons = Array.from({ length: 10 }, (_, n) => ({
    path: `/${n}`,
    keyword: 'type',
    message,
    count: 1,
    firstAt: at,
    lastAt: at,
  }));
  for (let minute = 1; minute <= 9; minute++)
    await refusalCounts.write([{ key: newKey(application, minute * minuteMs), total: 10, reasons }]);
  await refusalCounts.write([{ key: newKey(other, 0), total: 10, reasons }]);
  const left = async () => (await refusalCounts.totals(application, {}, 1))[0]?.count;
  await refusalCounts.trim(application, new Date(2 * minuteMs));
  // 64 MiB of 10 MB each.
  expect(await left()).toBe(6);
  await refusalCounts.trim(application, new Date(8 * minuteMs));
  expect(await left()).toBe(2);
  const found: string[] = [];
  for await (const each of refusalCounts.applications()) found.push(each);
  expect(found.sort()).toEqual([application, other].sort());
  await refusalCounts.removeAll(application);
  expect(await db.collection('refusals').countDocuments()).toBe(1);
});
