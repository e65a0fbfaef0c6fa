import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { packMinutes, unpackMinutes, withoutTimes } from './minute-counts.ts';

const minuteMs = 60_000;
const anyTimes = fc
  .array(fc.oneof(fc.nat(2 ** 48 - 1), fc.integer({ min: 1_700_000_000_000, max: 1_700_000_600_000 })))
  .map((times) => times.toSorted((a, b) => a - b));

function naive(times: number[]): [number, number][] {
  const minutes = times.map((time) => Math.floor(time / minuteMs) * minuteMs);
  return [...new Set(minutes)].map((minute) => [minute, minutes.filter((one) => one === minute).length]);
}

it('comes back as it was packed', () => {
  fc.assert(
    fc.property(anyTimes, (times) => {
      expect([...unpackMinutes(packMinutes(times))]).toEqual(naive(times));
    }),
    runs(),
  );
});

it('is without those that are taken out', () => {
  fc.assert(
    fc.property(anyTimes, fc.infiniteStream(fc.boolean()), (times, stream) => {
      const gone = times.map(() => stream.next().value as boolean);
      const left = withoutTimes(
        packMinutes(times),
        times.filter((_, n) => gone[n]),
      );
      expect([...unpackMinutes(left)]).toEqual(naive(times.filter((_, n) => !gone[n])));
    }),
    runs(),
  );
});

it('takes two bytes for each minute in which a few came', () => {
  const times = Array.from({ length: 2_500 }, (_, n) => 1_700_000_000_000 + n * minuteMs);
  expect(packMinutes(times).length).toBeLessThan(2 * 2_500 + 10);
});
