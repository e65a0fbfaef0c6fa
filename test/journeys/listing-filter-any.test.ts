import { readFilter } from '@sluice/api/http/filter.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { meets } from '../support/filter-oracle.ts';
import { modelEntries } from '../support/model-entries.ts';
import { ownDatabase } from '../support/own-database.ts';
import { runs } from '../support/runs.ts';

const keys = ['a', 'b', 'a.b', '$a', '', '0', 'a/~'];
const scalar = fc.constantFrom(
  ...[0, -0, 1, 2, 2.5, -3, 2 ** 31, 2 ** 53, 1e300, true, false, null],
  // The last two are in another order by UTF-16 than by code point.
  ...['', 'a', 'ab', 'b', '$a', '$$ROOT', '$payload.a', '1', 'ä', '\u0000', '\ufffd', '\u{1f600}'],
  ...['BAR', 'Ä\n.*', '\\Qa\\E', '^(a|b)[^a]+$', '\u0000{1}', 'ЖЁ', 'жё?'],
);
const text = scalar.filter((value) => typeof value === 'string');
const { payload } = fc.letrec((tie) => ({
  value: fc.oneof(
    { withCrossShrink: true },
    { arbitrary: scalar, weight: 4 },
    { arbitrary: fc.array(tie('value'), { maxLength: 3 }), weight: 1 },
    { arbitrary: tie('payload'), weight: 3 },
  ),
  payload: fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 5 }),
}));

const pointer = fc
  .array(fc.constantFrom(...keys), { minLength: 1, maxLength: 3 })
  .map((path) => path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''));
const ordered = scalar.filter((value) => typeof value === 'number' || typeof value === 'string');
const tests = fc.record(
  {
    eq: scalar,
    ne: scalar,
    in: fc.array(scalar, { maxLength: 5 }),
    exists: fc.boolean(),
    lt: ordered,
    lte: ordered,
    gt: ordered,
    gte: ordered,
    contains: fc.oneof(text, fc.string({ maxLength: 2 })),
  },
  { requiredKeys: [] },
);
/** With one operator mostly, or hardly anything would meet it. */
const condition = tests.map((all, ..._) => Object.fromEntries(Object.entries(all).slice(0, 1)));
const filter = fc
  .dictionary(pointer, fc.oneof({ arbitrary: condition, weight: 4 }, { arbitrary: tests, weight: 1 }), {
    minKeys: 1,
    maxKeys: 3,
  })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, one]) => Object.keys(one).length > 0)))
  .filter((all) => Object.values(all).flatMap(Object.keys).length <= 20);

it('a filter leaves the entries that the contract says, in pages and in the total', async () => {
  const { db } = await ownDatabase();
  const applications = fc.array(payload, { minLength: 30, maxLength: 60 });
  let met = 0;
  const run = fc.asyncProperty(
    applications,
    fc.array(filter, { minLength: 25, maxLength: 25 }),
    async (payloads, filters) => {
      const { application, entries, insert, all } = await modelEntries(db, { spacing: 5 });
      await insert(
        payloads.map((_, n) => 1_000 + (n % 7)),
        (n) => payloads[n] as Record<string, unknown>,
      );
      for (const one of filters) {
        const read = readFilter(JSON.stringify(one));
        if (!read.ok) throw new Error(JSON.stringify(read.details));
        const asked = { filter: read.conditions, from: new Date(1_001), to: new Date(1_006) };
        const expected = all().filter(
          ({ n, time }) =>
            time >= 1_001 && time < 1_006 && meets(parseJson(JSON.stringify(payloads[n])), one),
        );
        met += expected.length;
        for (const isIntact of [true, false]) {
          const page = await entries.page(application, { ...asked, start: 2, limit: 9, isIntact });
          expect(page.entries.map(({ id }) => id)).toEqual(expected.slice(2, 11).map(({ id }) => id));
          expect(page.total).toBe(expected.length);
        }
        expect(await entries.count(application, asked)).toBe(expected.length);
      }
    },
  );
  await fc.assert(run, runs(20));
  expect(met).toBeGreaterThan(100);
}, 120_000);
