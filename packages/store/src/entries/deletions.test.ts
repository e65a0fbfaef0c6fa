import fc from 'fast-check';
import type { Binary } from 'mongodb';
import { BSON } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { modelEntries } from '../../../../test/support/model-entries.ts';
import { ownDatabase } from '../../../../test/support/own-database.ts';
import { removalSteps } from '../../../../test/support/removal-steps.ts';
import { runs } from '../../../../test/support/runs.ts';
import { deletionStore } from './deletions.ts';
import type { Condition } from './entry-filter.ts';

const begin = 1_000;
const spacing = 4;
const payload = (n: number) => ({ n, text: 'x'.repeat(n % 7) });

/** An application with an entry in each of so many milliseconds, below a milestone each fourth. */
async function start(count: number) {
  const { db, url } = await ownDatabase();
  const model = await modelEntries(db, { spacing });
  const deletions = deletionStore(db, 60_000);
  await model.insert(
    Array.from({ length: count }, (_, n) => begin + n),
    payload,
  );
  await model.milestones.set(model.application, begin + count, Number.POSITIVE_INFINITY);
  const keyOf = (n: number) => model.all().find((entry) => entry.n === n)?.key as Binary;

  /** Deletes these entries of those that there are, at once; the model forgets them. */
  async function remove(numbers: number[]): Promise<number> {
    const chosen = model.all().filter(({ n }) => numbers.includes(n));
    const deleted = await deletions.remove(model.application, {
      _id: { $in: chosen.map(({ key }) => key) },
    });
    model.forget(chosen.map(({ id }) => id));
    return deleted;
  }

  return { db, url, ...model, deletions, keyOf, remove };
}

type Started = Pick<
  Awaited<ReturnType<typeof start>>,
  'milestones' | 'entries' | 'application' | 'all' | 'ranks' | 'sums'
>;

/** Ranks, totals, sizes, sums and pages at each index are those of the entries that are left. */
async function expectExact({ milestones, entries, application, all, ranks, sums }: Started) {
  const { set, counted } = await ranks();
  expect(set).toEqual(counted);
  const left = all();
  expect(await milestones.usage(application)).toEqual({
    entries: left.length,
    bytes: left.reduce((sum, { n }) => sum + BSON.calculateObjectSize(payload(n)), 0),
  });
  expect(await entries.count(application, {})).toBe(left.length);
  const steps = { from: 0, length: 3_600_000, count: 2 };
  expect(await entries.sumSteps(application, steps, false, (sender) => sender)).toEqual(sums(steps));
  const ids = left.map(({ id }) => id);
  for (const at of [0, spacing + 1, Math.floor(left.length / 2), left.length - 1]) {
    const start = Math.max(0, at);
    const { entries: page } = await entries.page(application, { start, limit: 5 });
    expect(page.map(({ id }) => id)).toEqual(ids.slice(start, start + 5));
    const forward = await entries.forward(application, { start, limit: 5 });
    expect(forward.entries.map(({ id }) => id)).toEqual(ids.toReversed().slice(start, start + 5));
  }
}

describe('deleted entries', () => {
  it('are missing in totals, ranks, sizes and pages', async () => {
    const started = await start(40);
    expect(await started.remove([0, 7, 8, 39])).toBe(4);
    await expectExact(started);
    expect(await started.remove([7, 9])).toBe(1);
    await expectExact(started);
  });

  it('take the milestones with them that count nothing else', async () => {
    const started = await start(40);
    await started.remove(Array.from({ length: 17 }, (_, n) => n));
    expect((await started.ranks()).set).toEqual([3, 7, 11, 15, 19, 23]);
    await started.remove([36, 37, 38, 39, 24, 25, 26, 27]);
    expect((await started.ranks()).set).toEqual([3, 7, 11, 15]);
    await expectExact(started);
    await started.remove(Array.from({ length: 40 }, (_, n) => n));
    expect((await started.ranks()).set).toEqual([]);
    await expectExact(started);
  });

  it('are folded into the milestones', async () => {
    const started = await start(80);
    const { db, application, deletions } = started;
    await started.remove([1, 6, 7, 20, 21, 22, 23, 40, 41, 79]);
    const before = await started.ranks();
    expect(await deletions.scattered(3)).toEqual([application]);
    expect(await deletions.scattered(100)).toEqual([]);
    await deletions.fold(application);
    expect(await deletions.scattered(0)).toEqual([]);
    expect(await db.collection('milestones').distinct('removed')).toEqual([]);
    expect(await started.ranks()).toEqual(before);
    await expectExact(started);
    await started.remove([2, 50]);
    await expectExact(started);
  });

  it('are none when what is written beside them fails', async () => {
    const started = await start(20);
    const { deletions, application, keyOf } = started;
    const failing = deletions.remove(
      application,
      { _id: keyOf(3) },
      { after: () => Promise.reject(new Error('not its own any more')) },
    );
    await expect(failing).rejects.toThrow('not its own any more');
    expect(await deletions.touch(application)).toMatchObject({ count: 0 });
    await expectExact(started);
  });

  it('are deleted once by many at once, of which one is told so', async () => {
    const started = await start(10);
    const { deletions, application, all } = started;
    const ids = all().map(({ id }) => id);
    const answers = await Promise.all(
      [...ids, ...ids, ...ids].map((id) => deletions.removeOne(application, id)),
    );
    expect(answers.filter((isDeleted) => isDeleted)).toHaveLength(10);
    started.forget(ids);
    await expectExact(started);
  });
});

it('milestones that are set while entries are deleted and folded count what is there', async () => {
  const started = await start(0);
  const { db, application, milestones, deletions, insert, all } = started;
  await insert(
    Array.from({ length: 600 }, (_, n) => begin + n),
    payload,
  );
  const chosen = all().filter(({ n }) => n % 3 === 0);
  const setting = [1, 2].map(async () => {
    for (let bound = begin; bound <= begin + 600; bound += 20) await milestones.set(application, bound, 100);
  });
  const deleting = [0, 1].map(async (half) => {
    const mine = chosen.filter((_, i) => i % 2 === half);
    for (let at = 0; at < mine.length; at += 5)
      await deletions.remove(application, { _id: { $in: mine.slice(at, at + 5).map(({ key }) => key) } });
  });
  const folding = (async () => {
    for (let round = 0; round < 10; round++) await deletions.fold(application);
  })();
  await Promise.all([...setting, ...deleting, folding]);
  started.forget(chosen.map(({ id }) => id));
  await expectExact(started);
  expect((await started.ranks()).set.length).toBeGreaterThan(40);
  expect(await db.collection('entries').countDocuments()).toBe(400);
});

it('totals are of one moment while entries are deleted, two by each transaction', async () => {
  const started = await start(200);
  const { application, entries, deletions, milestones, all } = started;
  const keys = all().map(({ key }) => key);
  let isOver = false;
  const deleting = (async () => {
    for (let at = 0; at < 50; at++)
      await deletions.remove(application, {
        _id: { $in: [keys[at], keys[keys.length - 1 - at]] as Binary[] },
      });
  })().finally(() => {
    isOver = true;
  });
  const settling = (async () => {
    for (let round = 0; round < 20; round++) await milestones.set(application, begin + 200, 3);
  })();
  const totals: number[] = [];
  while (!isOver) {
    totals.push(await entries.count(application, {}));
    const anything: Condition = { path: ['missing'], operator: 'exists', value: false };
    for (const filter of [undefined, [anything]]) {
      const page = await entries.page(application, { start: 10, limit: 40, filter });
      totals.push(page.total);
      const ids = page.entries.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)].sort().reverse());
    }
  }
  await Promise.all([deleting, settling]);
  expect(totals.filter((total) => total % 2 !== 0)).toEqual([]);
  expect(await entries.count(application, {})).toBe(100);
});

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('insert' as const),
      after: fc.array(fc.nat(40), { maxLength: 25 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('settle' as const), further: fc.nat(40) }) },
  ...removalSteps,
);

it('ranks, totals, sizes, sums and pages are those of a model, whatever is deleted', async () => {
  const { db } = await ownDatabase();
  const run = fc.asyncProperty(fc.array(step, { maxLength: 16 }), async (steps) => {
    const model = await modelEntries(db, { spacing });
    const deletions = deletionStore(db, 60_000);
    await live({ ...model, deletions }, steps);
  });
  await fc.assert(run, runs(6, 12));
}, 300_000);

async function live(
  model: Awaited<ReturnType<typeof modelEntries>> & { deletions: ReturnType<typeof deletionStore> },
  steps: (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
) {
  const { application, deletions, milestones, all } = model;
  let bound = begin;
  for (const each of steps) {
    const oldestFirst = all().reverse();
    const at = (place: number) => oldestFirst[Math.floor((place * oldestFirst.length) / 1_000)];
    if (each.what === 'insert')
      await model.insert(
        each.after.map((ms) => bound + ms),
        payload,
      );
    else if (each.what === 'settle') {
      bound += each.further;
      await milestones.set(application, bound, 100);
    } else if (each.what === 'fold') await deletions.fold(application);
    else if (oldestFirst.length > 0) {
      const [one, other] = each.places.slice(0, 2).sort((a, b) => a - b);
      const chosen =
        each.what === 'some'
          ? new Set(each.places.map(at))
          : new Set(
              oldestFirst.slice(
                oldestFirst.indexOf(at(one ?? 0) as never),
                oldestFirst.indexOf(at(other ?? 0) as never),
              ),
            );
      const keys = [...chosen].map((entry) => entry?.key as Binary);
      const query = { _id: { $in: keys } };
      expect(await deletions.remove(application, query)).toBe(keys.length);
      model.forget([...chosen].map((entry) => entry?.id as string));
    }
    await expectExact(model);
  }
}
