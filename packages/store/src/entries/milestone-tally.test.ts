import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Binary } from 'mongodb';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { createKeysAt } from './entry-id.ts';
import { packTally, type Tallied, tallyOf, unpackTally, withoutEntries } from './milestone-tally.ts';

const newKey = createKeysAt();
const application = randomBytes(12);
const time = fc.oneof(fc.nat(2 ** 48 - 1), fc.integer({ min: 1_700_000_000_000, max: 1_700_000_600_000 }));
const entry = fc.record({
  time,
  by: fc.oneof(
    fc.constant(undefined),
    fc.integer({ min: 1, max: 3 }),
    fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  ),
  once: fc.option(fc.uint8Array({ minLength: 16, maxLength: 17 }), { nil: undefined }),
});
const anyEntries = fc.array(entry).map((some): Tallied[] =>
  some
    .toSorted((a, b) => a.time - b.time)
    .map(({ time, by, once }) => ({
      _id: newKey(application, time),
      ...(by && { by }),
      ...(once && { once: new Binary(once) }),
    })),
);

it('comes back as it was packed', () => {
  fc.assert(
    fc.property(anyEntries, (entries) => {
      const tally = tallyOf(entries);
      expect(unpackTally(packTally(tally))).toEqual(tally);
    }),
    runs(),
  );
});

it('is without those that are taken out', () => {
  fc.assert(
    fc.property(anyEntries, fc.infiniteStream(fc.boolean()), (entries, stream) => {
      const gone = entries.map(() => stream.next().value as boolean);
      const packed = packTally(tallyOf(entries));
      const left = unpackTally({
        ...packed,
        ...withoutEntries(
          packed,
          entries.filter((_, n) => gone[n]),
        ),
      });
      const naive = tallyOf(entries.filter((_, n) => !gone[n]));
      expect(left.all).toEqual(naive.all);
      expect(new Map([...left.senders].filter(([, { size }]) => size > 0))).toEqual(naive.senders);
      expect(new Map([...left.proofs].filter(([, proof]) => proof > 0n))).toEqual(naive.proofs);
    }),
    runs(),
  );
});

it('takes two bytes for each minute in which a few came, and nothing for senders without a number', () => {
  const entries = Array.from({ length: 2_500 }, (_, n) => ({
    _id: newKey(application, 1_700_000_000_000 + n * 60_000),
  }));
  const { minutes, ...others } = packTally(tallyOf(entries));
  expect(minutes.length()).toBeLessThan(2 * 2_500 + 10);
  expect(others).toEqual({});
});
