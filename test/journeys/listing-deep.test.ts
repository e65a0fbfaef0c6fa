import { milestoneStore } from '@sluice/store/entries/milestones.ts';
import fc from 'fast-check';
import type { Db } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { modelEntries } from '../support/model-entries.ts';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { payloadOf } from '../support/payload-of.ts';
import { runs } from '../support/runs.ts';

/** So few that many entries share a millisecond. */
const moment = fc.integer({ min: 0, max: 40 });
const begin = 1_000;

/** Entries come, and are settled up to a time below which none comes any more. */
const history = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        what: fc.constant('insert' as const),
        after: fc.array(moment, { maxLength: 25 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        what: fc.constant('settle' as const),
        further: moment,
        limit: fc.integer({ min: 0, max: 12 }),
      }),
    },
  ),
  { maxLength: 12 },
);
const question = fc.record({
  start: fc.nat(130),
  limit: fc.integer({ min: 1, max: 40 }),
  from: fc.option(fc.integer({ min: begin - 5, max: begin + 200 }), { nil: undefined }),
  to: fc.option(fc.integer({ min: begin - 5, max: begin + 200 }), { nil: undefined }),
  /** Which entry `before` is, of those there are. */
  before: fc.option(fc.nat(99), { nil: undefined }),
});
type Question = typeof question extends fc.Arbitrary<infer Q> ? Q : never;

async function live(
  db: Db,
  model: Awaited<ReturnType<typeof modelEntries>>,
  steps: typeof history extends fc.Arbitrary<infer S> ? S : never,
  spacing: number,
) {
  let bound = begin;
  for (const step of steps) {
    if (step.what === 'insert') await model.insert(step.after.map((ms) => bound + ms));
    else {
      bound += step.further;
      const setters = [model.milestones, milestoneStore(db, spacing)];
      await Promise.all(setters.map((each) => each.set(model.application, bound, step.limit)));
    }
  }
  return bound;
}

async function expectNaive(
  { entries, application, ...model }: Awaited<ReturnType<typeof modelEntries>>,
  asked: Question,
) {
  const period = {
    from: asked.from === undefined ? undefined : new Date(asked.from),
    to: asked.to === undefined ? undefined : new Date(asked.to),
  };
  const before = asked.before === undefined ? undefined : model.all()[asked.before]?.id;
  const { start, limit } = asked;
  const expected = model.listed({ ...period, before });
  // Nothing was deleted: with a snapshot the answers are the same.
  for (const isIntact of [true, false]) {
    const { entries: page, total } = await entries.page(application, {
      ...period,
      start,
      limit,
      before,
      isIntact,
    });
    expect(total).toBe(model.listed(period).length);
    expect(page.map(({ payload }) => payload.n)).toEqual(
      expected.slice(start, start + limit).map(({ n }) => n),
    );
    expect(page.map(({ id }) => id)).toEqual(expected.slice(start, start + limit).map(({ id }) => id));
    expect(await entries.count(application, { ...period, isIntact })).toBe(model.listed(period).length);
  }
  const forward = await entries.forward(application, { ...period, start, limit, after: before });
  const later = model
    .listed(period)
    .filter(({ id }) => !before || id > before)
    .reverse();
  expect(forward.entries.map(({ id }) => id)).toEqual(later.slice(start, start + limit).map(({ id }) => id));
  if (before) {
    const until = model.listed(period).filter(({ id }) => id <= before);
    expect(await entries.count(application, period, before)).toBe(until.length);
  }
}

describe('pages and totals', () => {
  it('are those of the naive way, whatever is settled', async () => {
    const { db } = await ownDatabase();
    const run = fc.asyncProperty(
      history,
      fc.array(question, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 30 }),
      async (steps, questions, spacing) => {
        const model = await modelEntries(db, { spacing });
        const neighbour = await modelEntries(db, { spacing });
        await neighbour.insert([begin, begin, begin]);
        await neighbour.milestones.set(neighbour.application, begin + 1, 9);
        const bound = await live(db, model, steps, spacing);
        await model.insert([bound]);
        for (const asked of questions) await expectNaive(model, asked);
        const ranks = await model.ranks();
        expect(ranks.set).toEqual(ranks.counted);
        expect(ranks.set).toEqual(ranks.set.map((_, i) => (i + 1) * spacing));
      },
    );
    await fc.assert(run, runs(8, 16));
  }, 300_000);

  it('stay exact when all milestones are gone, and they come again', async () => {
    const { db } = await ownDatabase();
    const model = await modelEntries(db, { spacing: 10 });
    await model.insert(Array.from({ length: 205 }, (_, n) => begin + n));
    const [settle, check] = [
      () => model.milestones.set(model.application, begin + 200, 100),
      () =>
        expectNaive(model, { start: 150, limit: 20, from: begin + 3, to: begin + 190, before: undefined }),
    ];
    expect(await settle()).toBe(20);
    await db.collection('milestones').deleteMany({});
    await check();
    expect([await settle(), await settle()]).toEqual([20, 0]);
    await check();
  });

  it('have no entry twice, while entries arrive and are settled', async () => {
    const { db, url } = await ownDatabase();
    const { entries: writer } = openStore(url);
    const { application, entries, milestones, insert } = await modelEntries(db, { spacing: 20 });
    await insert(Array.from({ length: 400 }, (_, n) => begin + n));
    let isOver = false;
    const arriving = (async () => {
      while (!isOver)
        await writer.insert(Array.from({ length: 7 }, () => ({ application, ...payloadOf({}) })));
    })();
    const settling = (async () => {
      for (let bound = begin; !isOver; bound += 10) await milestones.set(application, bound, 3);
    })();
    let total = 400;
    for (let round = 0; round < 150; round++) {
      const [page, count] = await Promise.all([
        entries.page(application, { start: 4 * round, limit: 60 }),
        entries.count(application, {}),
      ]);
      const ids = page.entries.map(({ id }) => id);
      expect(page.total).toBeGreaterThanOrEqual(total);
      expect(ids).toEqual([...new Set(ids)].sort().reverse());
      expect(ids.length).toBeGreaterThanOrEqual(Math.min(60, Math.max(0, total - 4 * round)));
      expect(count).toBeGreaterThanOrEqual(total);
      total = count;
    }
    isOver = true;
    await Promise.all([arriving, settling]);
    expect(await entries.count(application, {})).toBe(await db.collection('entries').countDocuments());
  });
});
