import { expect, it } from 'vitest';
import { modelEntries } from '../../../../test/support/model-entries.ts';
import { ownDatabase } from '../../../../test/support/own-database.ts';

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

it('finds a piece, and where the next one begins', async () => {
  const { entries, application, ids, found } = await start();
  const first = await entries.oldest(application, { limit: 4 });
  expect(first).toMatchObject({
    first: { id: ids[0] },
    next: { id: ids[4], createdAt: new Date(began + 4_000) },
  });
  expect(await found(first?.query as object)).toEqual([0, 1, 2, 3]);
  const last = await entries.oldest(application, { from: ids[4], limit: 6 });
  expect(last).toMatchObject({ first: { id: ids[4] }, next: undefined });
  expect(await found(last?.query as object)).toEqual([4, 5, 6, 7, 8, 9]);
});

it('finds only what was stored before a time', async () => {
  const { entries, application, found } = await start();
  const piece = await entries.oldest(application, { to: new Date(began + 2_000), limit: 4 });
  expect(piece?.next).toBeUndefined();
  expect(await found(piece?.query as object)).toEqual([0, 1]);
  expect(await entries.oldest(application, { to: new Date(began), limit: 4 })).toBeUndefined();
});

it('a purge goes on where it is told', async () => {
  const { entries, application, ids, found } = await start();
  expect(await entries.purge(application, 4)).toEqual({ deleted: 4, next: ids[4] });
  expect(await entries.purge(application, 4, ids[4])).toEqual({ deleted: 4, next: ids[8] });
  expect(await entries.purge(application, 4, ids[8])).toEqual({ deleted: 2, next: undefined });
  expect(await entries.purge(application, 4)).toEqual({ deleted: 0 });
  expect(await found({})).toHaveLength(2);
});
