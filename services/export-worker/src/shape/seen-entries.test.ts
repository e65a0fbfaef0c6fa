import { type Cut, isWithin } from '@sluice/store/entries/cuts.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { createSeenEntries } from './seen-entries.ts';

const startedAt = new Date(1_700_000_000_000);

const id = fc
  .record({
    age: fc.oneof(fc.nat({ max: 20 }), fc.integer({ min: 119_990, max: 120_010 })),
    process: fc.nat({ max: 2 }),
    counter: fc.oneof(fc.nat({ max: 12 }), fc.integer({ min: 2 ** 32 - 5, max: 2 ** 32 - 1 })),
  })
  .map(({ age, process, counter }) => {
    const bytes = Buffer.alloc(14);
    bytes.writeUIntBE(startedAt.getTime() - age, 0, 6);
    bytes.writeUInt32BE(process, 6);
    bytes.writeUInt32BE(counter, 10);
    return bytes;
  });
// A process has each counter once.
const ids = fc.uniqueArray(id, { maxLength: 40, selector: (bytes) => bytes.toString('hex', 6) });
const cut: Cut = { until: 'f'.repeat(28), since: 2 ** 47, counters: {} };
const timeOf = (bytes: Buffer) => bytes.readUIntBE(0, 6);

it('tells the entries that a reading met from those that came later', () => {
  fc.assert(
    fc.property(ids, fc.infiniteStream(fc.boolean()), fc.integer({ min: 1, max: 50 }), (all, dice, limit) => {
      const rolled = new Map(all.map((bytes) => [bytes, dice.next().value]));
      const entries = createSeenEntries(startedAt, limit);
      const met = all.filter((bytes) => rolled.get(bytes)).toSorted(Buffer.compare);
      for (const bytes of met) entries.add(bytes);
      const seen = entries.seen();
      for (const bytes of all) {
        const isWanted = rolled.get(bytes) === true || timeOf(bytes) < seen.since;
        expect(isWithin({ ...cut, seen }, bytes)).toBe(isWanted);
      }
      const runs = Object.values(seen.runs).reduce((sum, list) => sum + list.length / 2, 0);
      expect(runs).toBeLessThanOrEqual(limit);
      if (limit > 40) expect(seen.since).toBe(startedAt.getTime() - 120_000);
    }),
    runs(),
  );
});

it('does not let in what the cut leaves out', () => {
  const bytes = Buffer.alloc(14);
  bytes.writeUIntBE(startedAt.getTime(), 0, 6);
  bytes.writeUInt32BE(7, 10);
  const entries = createSeenEntries(startedAt);
  entries.add(bytes);
  const bounded = { ...cut, since: 0, seen: entries.seen() };
  expect(isWithin({ ...bounded, counters: { '00000000': 6 } }, bytes)).toBe(false);
  expect(isWithin({ ...bounded, counters: { '00000000': 7 } }, bytes)).toBe(true);
});
