import { expect, it } from 'vitest';
import { checkSchema } from '../check/check.ts';
import { link } from '../check/link.ts';
import { judge } from './judge.ts';
import { rulesOf } from './rules-of.ts';

// test/drafts compares their verdicts on all keywords of all drafts with other validators.
function rulesFor(part: object) {
  const { schema, draft, walk } = checkSchema(JSON.stringify({ type: 'object', ...part }));
  return rulesOf(link(schema, draft, walk));
}

const items = (items: object) => ({ properties: { a: { items } } });
const branches = Array.from({ length: 200 }, (_, i) => ({ properties: { [`k${i}`]: true } }));

it.each([
  ['goes round in circles', { allOf: [{ $ref: '#' }] }, {}],
  ['has more parts than there are steps', items({ type: 'integer' }), { a: Array(50_000).fill(1) }],
  [
    'asks each object for many names',
    items({ dependentSchemas: Object.fromEntries(branches.map((part, i) => [`x${i}`, part])) }),
    { a: Array(1_000).fill({}) },
  ],
  [
    'tells many branches apart for what is left',
    { anyOf: branches, unevaluatedProperties: false },
    Object.fromEntries(branches.map((_, i) => [`k${i}`, 1])),
  ],
])('ends where a schema %s', (_what, part, payload) => {
  expect(judge(rulesFor(part), payload, 20_000)).toBe('too many steps');
});

it('matches no pattern that makes no difference', () => {
  const patternProperties = Object.fromEntries(branches.map((_, i) => [`${i}[ab]{100}`, {}]));
  const payload = Object.fromEntries(branches.map((_, i) => [`k${i}`, 1]));
  expect(judge(rulesFor({ patternProperties }), payload, 20_000)).toBe('conforms');
});

it('makes rules of a chain of references that is longer than the stack', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }]),
  );
  const rules = rulesFor({ properties: { a: { $ref: '#/$defs/d0' } }, $defs: { ...$defs, d5000: {} } });
  expect(judge(rules, {}, 20_000)).toBe('conforms');
});

it('tells parts apart that refer to different parts by the same name', () => {
  const ofType = (type: string) =>
    rulesFor({ $defs: { a: { type } }, properties: { b: { $ref: '#/$defs/a' } } });
  expect(judge(ofType('string'), { b: '' }, 20_000)).toBe('conforms');
  expect(judge(ofType('number'), { b: '' }, 20_000)).toBe('does not conform');
});

it('tells parts apart that mean different things by their drafts', () => {
  const of = (draft: string) =>
    rulesFor({
      $schema: `https://json-schema.org/draft/${draft}/schema`,
      properties: { a: { unevaluatedItems: false, allOf: [{ contains: true }] } },
    });
  expect(judge(of('2020-12'), { a: [1] }, 20_000)).toBe('conforms');
  expect(judge(of('2019-09'), { a: [1] }, 20_000)).toBe('does not conform');
});
