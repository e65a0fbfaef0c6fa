import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstKeyAt } from '../entries/entry-id.ts';
import { furtherCuts, spread } from './split-entries.ts';

const application = 'a'.repeat(24);
const keyAt = (time: number) => firstKeyAt(application, new Date(time));
const milestone = (time: number, bytes: number) => ({ _id: keyAt(time), bytes });
async function* each<T>(all: T[]) {
  yield* all;
}
const cutsOf = async (milestones: ReturnType<typeof milestone>[], there: string[], bytes: number) =>
  (await Array.fromAsync(furtherCuts(application, each(milestones), there, bytes))).map((key) =>
    key.toString('hex'),
  );

describe('cuts of an application', () => {
  it('are at times, and leave ranges that are as large as wanted', async () => {
    const milestones = [1, 2, 3, 4, 5, 6].map((n) => milestone(n, n * 10));
    expect(await cutsOf(milestones, [], 25)).toEqual([keyAt(3), keyAt(6)].map((key) => key.toString('hex')));
  });

  it('are made once, whatever there is already', async () => {
    const steps = fc.array(fc.record({ ms: fc.nat(2), bytes: fc.nat(50) }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.integer({ min: 1, max: 100 }),
        fc.uniqueArray(fc.nat(60)),
        async (all, size, old) => {
          let [time, bytes] = [1_000, 0];
          const milestones = all.map((step) => {
            time += step.ms;
            bytes += step.bytes;
            return milestone(time, bytes);
          });
          const there = old.map((ms) => keyAt(1_000 + ms).toString('hex')).sort();
          const made = await cutsOf(milestones, there, size);
          expect(new Set([...there, ...made]).size).toBe(there.length + made.length);
          expect(made.toSorted()).toEqual(made);
          expect(await cutsOf(milestones, [...there, ...made].sort(), size)).toEqual([]);
        },
      ),
    );
  });
});

it('spreads a limited number over all', () => {
  expect(spread([1, 2, 3], 5)).toEqual([1, 2, 3]);
  expect(spread([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 5)).toEqual([1, 3, 5, 7, 9]);
  expect(spread([1, 2], 0)).toEqual([]);
});
