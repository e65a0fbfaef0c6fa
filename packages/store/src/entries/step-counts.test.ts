import fc from 'fast-check';
import { Binary, ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { modelEntries } from '../../../../test/support/model-entries.ts';
import { ownDatabase } from '../../../../test/support/own-database.ts';
import { removalSteps } from '../../../../test/support/removal-steps.ts';
import { runs } from '../../../../test/support/runs.ts';
import { deletionStore } from './deletions.ts';
import type { MilestoneDocument } from './milestone-document.ts';
import type { TimeSteps } from './step-counts.ts';

const minute = 60_000;
const hour = 60 * minute;
const spacing = 4;

async function start(db?: Awaited<ReturnType<typeof ownDatabase>>['db']) {
  const own = db ?? (await ownDatabase()).db;
  const model = await modelEntries(own, { spacing });
  const deletions = deletionStore(own, 60_000);
  const { application, entries } = model;

  async function expectExact(steps: TimeSteps, isIntact = false) {
    const { groups, rest } = model.sums(steps);
    const bySender = await entries.countStepsBySender(application, steps, isIntact);
    expect(bySender).toEqual(rest.some((count) => count > 0) ? new Map([...groups, [0, rest]]) : groups);
    expect(await entries.countSteps(application, steps, isIntact)).toEqual(
      rest.map((_, step) => bySender.values().reduce((sum, counts) => sum + (counts[step] as number), 0)),
    );
    const hours = { from: 0, length: hour, count: 3 };
    const ofAll = await entries.sumSteps(application, hours, isIntact, (sender) => sender);
    expect(ofAll).toEqual(model.sums(hours));
  }

  async function remove(chosen: { key: Binary; id: string }[]) {
    await deletions.remove(application, { _id: { $in: chosen.map(({ key }) => key) } });
    model.forget(chosen.map(({ id }) => id));
  }
  return { ...model, db: own, deletions, expectExact, remove };
}

const periods: TimeSteps[] = [
  { from: 0, length: minute, count: 60 },
  { from: 7 * minute, length: minute, count: 13 },
  { from: 0, length: 60 * minute, count: 3 },
  { from: 9 * minute, length: minute, count: 0 },
  { from: 400 * minute, length: minute, count: 5 },
];

/** Some minutes are dense, some empty. */
const times = Array.from({ length: 90 }, (_, n) => (n < 30 ? n * 1_000 : n * 40_000));

it('counts by steps without milestones, below them and beyond the last one', async () => {
  const { insert, milestones, application, expectExact } = await start();
  for (const steps of periods) await expectExact(steps, true);
  await insert(times);
  for (const steps of periods) await expectExact(steps, true);
  for (const bound of [20 * minute, 40 * minute, 200 * minute]) {
    await milestones.set(application, bound, 100);
    for (const steps of periods) await expectExact(steps, true);
  }
});

it('counts what is beyond the last milestone also where that is much', async () => {
  const { insert, expectExact } = await start();
  await insert(Array.from({ length: 6_500 }, (_, n) => Math.floor(n / 100) * minute + n));
  await expectExact({ from: 0, length: minute, count: 70 }, true);
  await expectExact({ from: 0, length: 60 * minute, count: 3 }, true);
  await expectExact({ from: 60 * minute, length: minute, count: 5 }, true);
});

it.each(['minutes', 'senders', 'proofs'] as const)(
  'reads the %s of milestones, not their entries',
  async (field) => {
    const { db, insert, milestones, application, expectExact } = await start();
    await insert(times);
    await milestones.set(application, 200 * minute, 100);
    const one = { application: new ObjectId(application), rank: 40 };
    const found = await db.collection<MilestoneDocument>('milestones').findOne(one);
    const before = found?.[field] as Binary;
    expect(before.length()).toBeGreaterThan(0);
    const set = (packed: Binary) =>
      db.collection<MilestoneDocument>('milestones').updateOne(one, { $set: { [field]: packed } });
    await set(new Binary(Buffer.alloc(0)));
    await expect(expectExact(periods[0] as TimeSteps)).rejects.toThrow('to deeply equal');
    await set(before);
    await expectExact(periods[0] as TimeSteps);
  },
);

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('insert' as const),
      gaps: fc.array(fc.nat(90_000), { maxLength: 25 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('settle' as const), further: fc.nat(20 * minute) }) },
  ...removalSteps,
);

it('counts as a model does, whatever is deleted and folded', async () => {
  const { db } = await ownDatabase();
  const run = fc.asyncProperty(fc.array(step, { maxLength: 14 }), fc.nat(30), async (steps, from) => {
    const { insert, milestones, application, deletions, all, remove, expectExact } = await start(db);
    let [newest, settled] = [0, 0];
    for (const one of steps) {
      const stored = all().toReversed();
      const at = (place: number) => Math.floor((place * stored.length) / 1_000);
      if (one.what === 'insert') {
        // Nothing comes below what is settled.
        newest = Math.max(newest, settled);
        await insert(
          one.gaps.map((gap) => {
            newest += gap;
            return newest;
          }),
        );
      } else if (one.what === 'settle') {
        settled += one.further;
        await milestones.set(application, settled, 100);
      } else if (one.what === 'fold') await deletions.fold(application);
      else if (stored.length > 0) {
        const places = one.places.map(at);
        const [low, high] = [Math.min(...places), Math.max(...places)];
        await remove(
          stored.filter((_, n) => (one.what === 'some' ? places.includes(n) : n >= low && n <= high)),
        );
      }
    }
    await expectExact({ from: from * minute, length: minute, count: 40 });
    await expectExact({ from: 0, length: 60 * minute, count: 2 });
  });
  await fc.assert(run, runs(8, 16));
});
