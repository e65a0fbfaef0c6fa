import { readPayload } from '@sluice/bson/read-payload.ts';
import { toJson } from '@sluice/json/numbers.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { checkSchema } from './check/check.ts';
import { checkAndLink } from './check/check-and-link.ts';
import { type Draft, drafts, metaSchemaUris } from './draft.ts';
import { createExplain } from './explain/create-explain.ts';
import { judgeFully } from './judge/judge.ts';
import { rulesOf } from './judge/rules-of.ts';

interface Asked {
  schema: string;
  value: string;
  draft?: Draft;
}

/** Judges `{"v": value}` by a schema of `v`, both as JSON. */
function ask({ schema, value, draft = '2020-12' }: Asked) {
  const text = `{"$schema":"${metaSchemaUris[draft]}","type":"object","properties":{"v":${schema}}}`;
  const body = Buffer.from(`{"v":${value}}`);
  const reading = readPayload(body);
  if (!reading.ok) throw new Error(JSON.stringify(reading));
  const linked = checkAndLink(checkSchema(text));
  return {
    verdict: judgeFully(rulesOf(linked), reading.payload),
    explain: () => createExplain({ linked: toJson(linked), draft }).explain(body).issues,
  };
}

const conforms = (asked: Asked) => ask(asked).verdict === 'conforms';

function expectFault(asked: Asked, keyword: string | undefined): void {
  const { verdict, explain } = ask(asked);
  expect(verdict).toBe(keyword === undefined ? 'conforms' : 'does not conform');
  if (keyword !== undefined) expect(explain()).toMatchObject([{ keyword }]);
}

describe.each(drafts)('draft %s compares the exact integer', (draft) => {
  const exclusive = (name: string, bound: string) =>
    draft === '04'
      ? `{"${name}":${bound},"exclusive${name === 'minimum' ? 'Minimum' : 'Maximum'}":true}`
      : `{"exclusive${name === 'minimum' ? 'Minimum' : 'Maximum'}":${bound}}`;

  it.each([
    ['{"type":"integer"}', '9007199254740993', undefined],
    ['{"type":["integer","null"]}', '-9223372036854775808', undefined],
    ['{"type":"number"}', '9223372036854775807', undefined],
    ['{"type":"string"}', '9007199254740993', 'type'],
    ['{"type":["string","boolean"]}', '9007199254740993', 'type'],
    ['{"minimum":9007199254740993}', '9007199254740993', undefined],
    ['{"minimum":9007199254740993}', '9007199254740992', 'minimum'],
    ['{"maximum":9007199254740993}', '9007199254740994', 'maximum'],
    ['{"maximum":-9007199254740993}', '-9007199254740992', 'maximum'],
    ['{"maximum":5}', '9007199254740993', 'maximum'],
    ['{"enum":[-9223372036854775808]}', '-9223372036854775808', undefined],
    ['{"maximum":-9223372036854775808}', '-9223372036854775807', 'maximum'],
    ['{"minimum":-9223372036854775808}', '-9223372036854775808', undefined],
    ['{"minimum":0.5}', '9007199254740993', undefined],
    ['{"maximum":9007199254740993}', '1', undefined],
    [
      exclusive('minimum', '9007199254740993'),
      '9007199254740993',
      draft === '04' ? 'minimum' : 'exclusiveMinimum',
    ],
    [exclusive('maximum', '9007199254740994'), '9007199254740993', undefined],
    ['{"enum":[1,9007199254740993]}', '9007199254740993', undefined],
    ['{"enum":[9007199254740992,9007199254740993]}', '9007199254740993', undefined],
    ['{"enum":[1,9007199254740993]}', '9007199254740992', 'enum'],
    ['{"enum":[{"id":9007199254740993}]}', '{"id":9007199254740993}', undefined],
    ['{"enum":[{"id":9007199254740993}]}', '{"id":9007199254740994}', 'enum'],
    ['{"multipleOf":3}', '9007199254740993', undefined],
    ['{"multipleOf":3}', '9007199254740994', 'multipleOf'],
    ['{"multipleOf":0.01}', '9007199254740994', undefined],
    ['{"multipleOf":9007199254740993}', '9007199254740993', undefined],
    ['{"multipleOf":9007199254740993}', '9007199254740994', 'multipleOf'],
    ['{"uniqueItems":true}', '[9007199254740992,9007199254740993]', undefined],
    ['{"uniqueItems":true}', '[9007199254740993,1,9007199254740993]', 'uniqueItems'],
    ['{"uniqueItems":true}', '[[9007199254740993],[9007199254740993.0]]', 'uniqueItems'],
    ['{"uniqueItems":true}', '[1e18,1000000000000000000]', 'uniqueItems'],
    ['{"maxLength":9223372036854775807,"minProperties":0}', '"x"', undefined],
    ['{"maxItems":9223372036854775807}', '[1]', undefined],
    ['{"items":{"type":"integer"},"maximum":9223372036854775807}', '[9223372036854775807,1]', undefined],
  ])('%s, %s', (schema, value, keyword) => {
    expectFault({ schema, value, draft }, keyword);
  });
});

it.each([
  ['{"const":9007199254740993}', '9007199254740993', undefined],
  ['{"const":9007199254740993}', '9007199254740992', 'const'],
  ['{"const":[9007199254740993]}', '[9007199254740993]', undefined],
  ['{"format":"int64","type":"integer"}', '9223372036854775807', undefined],
  ['{"format":"int64","type":"number"}', '1e19', 'format'],
  ['{"format":"int32","type":"integer"}', '9007199254740993', 'format'],
  ['{"format":"double"}', '9007199254740993', undefined],
  [
    '{"contains":{"const":9007199254740993},"maxContains":9223372036854775807}',
    '[1,9007199254740993]',
    undefined,
  ],
  ['{"contains":{"const":9007199254740993}}', '[9007199254740992]', 'contains'],
  [
    `{"enum":[${Array.from({ length: 300 }, (_, i) => 9007199254740993n + BigInt(i))}]}`,
    '9007199254741000',
    undefined,
  ],
  [
    `{"enum":[${Array.from({ length: 300 }, (_, i) => 9007199254740993n + BigInt(i))}]}`,
    '9007199254740992',
    'enum',
  ],
])('%.60s, %s', (schema, value, keyword) => {
  expectFault({ schema, value }, keyword);
});

it('says the bound with all its digits', () => {
  const asked = { schema: '{"minimum":9007199254740993,"enum":[9007199254740995]}', value: '1' };
  expect(
    ask(asked)
      .explain()
      .map(({ message }) => message),
  ).toEqual(['must be one of 9007199254740995', 'must be >= 9007199254740993']);
});

it('decides about any two 64-bit integers as BigInt does', () => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const near = fc
    .tuple(int64, fc.bigInt({ min: -2n, max: 2n }))
    .map(([a, step]) => [a, BigInt.asIntN(64, a + step)]);
  fc.assert(
    fc.property(near, ([a = 0n, b = 0n]) => {
      expect(conforms({ schema: `{"minimum":${a}}`, value: String(b) })).toBe(b >= a);
      expect(conforms({ schema: `{"const":${a}}`, value: String(b) })).toBe(a === b);
      expect(conforms({ schema: '{"uniqueItems":true}', value: `[${a},${b}]` })).toBe(a !== b);
    }),
    runs(50),
  );
});
