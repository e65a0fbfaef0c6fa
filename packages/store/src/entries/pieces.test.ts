import { expect, it } from 'vitest';
import { modelEntries } from '../../../../test/support/model-entries.ts';
import { ownDatabase } from '../../../../test/support/own-database.ts';
import type { Condition } from './entry-filter.ts';
import type { Piece, Walked } from './pieces.ts';

const began = Date.UTC(2026, 0, 1);

/** An application with entries of ten seconds, one after the other, and another one. */
async function start() {
  const { db } = await ownDatabase();
  const model = await modelEntries(db, { spacing: 5 });
  await model.insert(Array.from({ length: 10 }, (_, n) => began + n * 1_000));
  await (await modelEntries(db, { spacing: 5 })).insert([began - 1, began + 3_500]);
  const { entries, application } = model;
  const ids = model
    .all()
    .toReversed()
    .map(({ id }) => id);
  const found = async (query: object) =>
    (await db.collection('entries').find(query).sort({ _id: 1 }).toArray()).map(({ payload }) => payload.n);
  return { entries, application, ids, found };
}

/** The pieces, with the entries that each finds. */
async function walk(given: Awaited<ReturnType<typeof start>>, walked: Walked, limit: number) {
  const { entries, application, found } = given;
  const all: Pick<Piece, 'first' | 'last'>[] = [];
  const numbers: number[][] = [];
  for await (const { query, first, last } of entries.pieces(application, walked, limit)) {
    all.push({ first, last });
    numbers.push(await found(query));
  }
  return { all, numbers };
}

it('a walk sees each entry once, oldest first', async () => {
  const given = await start();
  const { ids } = given;
  const { all, numbers } = await walk(given, {}, 4);
  expect(numbers).toEqual([
    [0, 1, 2, 3],
    [4, 5, 6, 7],
    [8, 9],
  ]);
  expect(all).toEqual([
    { first: ids[0], last: ids[3] },
    { first: ids[4], last: ids[7] },
    { first: ids[8], last: undefined },
  ]);
  expect((await walk(given, { after: ids[3] }, 5)).numbers).toEqual([[4, 5, 6, 7, 8], [9]]);
  expect((await walk(given, { after: ids[3], until: ids[6] }, 5)).numbers).toEqual([[4, 5, 6]]);
});

it('a walk stays within its period and what matches', async () => {
  const given = await start();
  expect((await walk(given, { to: new Date(began + 2_000) }, 4)).numbers).toEqual([[0, 1]]);
  expect((await walk(given, { to: new Date(began) }, 4)).all).toEqual([
    { first: undefined, last: undefined },
  ]);
  const filter: Condition[] = [{ path: ['n'], operator: 'gte', value: 3 }];
  expect((await walk(given, { filter }, 3)).numbers).toEqual([[3, 4, 5], [6, 7, 8], [9]]);
});

it('a purge deletes what an application has, and tells how it moves on', async () => {
  const { entries, application, found } = await start();
  const deleted = await Array.fromAsync(entries.purge(application, 4));
  expect(deleted).toEqual([4, 4, 2]);
  expect(await Array.fromAsync(entries.purge(application, 4))).toEqual([0]);
  expect(await found({})).toHaveLength(2);
});
