import { expect, it } from 'vitest';
import { checkSchema } from '../check/check.ts';
import { link } from '../check/link.ts';
import { surelyAccepts } from './accepts.ts';
import { rulesOf } from './rules-of.ts';

function rulesFor(part: object) {
  const { schema, draft, walk } = checkSchema(JSON.stringify({ type: 'object', ...part }));
  return rulesOf(link(schema, draft, walk));
}

// test/drafts compares their verdicts on all keywords of all drafts with other validators.
it.each([
  ['what other parts have evaluated', { unevaluatedProperties: false }],
  ['a meta-schema', { properties: { a: { $ref: 'https://json-schema.org/draft/2020-12/schema' } } }],
  ['numbers beyond 2^53', { properties: { a: { maximum: 1e300 } } }],
])('leaves a schema to generated code that has %s', (_what, part) => {
  expect(rulesFor(part)).toBeUndefined();
});

it.each([
  ['goes round in circles', { allOf: [{ $ref: '#' }] }, {}],
  [
    'has more parts than there are steps',
    { properties: { a: { items: { type: 'integer' } } } },
    { a: Array(50_000).fill(1) },
  ],
])('does not accept what %s, and ends', (_what, part, payload) => {
  const rules = rulesFor(part);
  expect(rules && surelyAccepts(rules, payload)).toBe(false);
});

it('tells parts apart that refer to different parts by the same name', () => {
  const ofType = (type: string) =>
    rulesFor({ $defs: { a: { type } }, properties: { b: { $ref: '#/$defs/a' } } });
  const [strings, numbers] = [ofType('string'), ofType('number')];
  expect(strings && surelyAccepts(strings, { b: '' })).toBe(true);
  expect(numbers && surelyAccepts(numbers, { b: '' })).toBe(false);
});
