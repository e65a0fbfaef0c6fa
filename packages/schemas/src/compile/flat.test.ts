import { afterAll, describe, expect, it } from 'vitest';
import type { Validator } from '../validate/validator.ts';
import { createCompiler } from './compiler.ts';

// What a schema may take is tested elsewhere; this machine may be busy.
const compiler = createCompiler({ deadlineMs: 60_000 });
afterAll(() => compiler.close());

async function compile(schema: object): Promise<Validator> {
  const compiled = await compiler.compile(JSON.stringify({ type: 'object', ...schema }), { isNew: true });
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.validator;
}

/** The keywords that the form that finds all names; none where the payload conforms by both. */
async function refusedFor(validator: Validator, payload: unknown): Promise<string[]> {
  const first = validator.validate(payload) ?? [];
  const none = { path: '', keyword: 'none', message: '' };
  const all = (await validator.explain(payload, [none])).filter((issue) => issue !== none);
  expect(first.length > 0).toBe(all.length > 0);
  return all.map(({ keyword }) => keyword);
}

const draft = (name: string) => ({ $schema: `http://json-schema.org/draft-${name}/schema#` });
const draft2019 = { $schema: 'https://json-schema.org/draft/2019-09/schema' };
const text = { type: 'string' };
const x = { const: 'x' };

describe('keywords that stand after others are not skipped', () => {
  it.each<[string, object, object, string]>([
    [
      'contains, where the tuple is longer',
      { properties: { v: { prefixItems: [text], contains: x } } },
      { v: [] },
      'contains',
    ],
    [
      'contains, where a later place is checked',
      { properties: { v: { prefixItems: [{}, { type: 'integer' }], contains: x } } },
      { v: ['y'] },
      'contains',
    ],
    [
      'contains of draft 06',
      { ...draft('06'), properties: { v: { items: [text], contains: x } } },
      { v: [] },
      'contains',
    ],
    [
      'contains of 2019-09',
      { ...draft2019, properties: { v: { items: [text], contains: x } } },
      { v: [] },
      'contains',
    ],
    ['the empty name', { required: [''] }, {}, 'required'],
    ['the empty name among others', { required: ['a', ''] }, { a: 1 }, 'required'],
    [
      'the empty name that another asks for',
      { dependentRequired: { a: [''] } },
      { a: 1 },
      'dependentRequired',
    ],
    [
      'the empty name that another asks for, in draft 07',
      { ...draft('07'), dependencies: { a: [''] } },
      { a: 1 },
      'dependencies',
    ],
  ])('%s', async (_what, schema, payload, keyword) => {
    expect(await refusedFor(await compile(schema), payload)).toContain(keyword);
  });

  it.each([
    ['items', { items: { contains: { const: 1 } } }, [[1], []]],
    ['additionalProperties', { additionalProperties: { contains: { const: 1 } } }, { a: [1], b: [] }],
  ])('an empty array contains nothing after one that does (%s)', async (_what, v, payload) => {
    expect(await refusedFor(await compile({ properties: { v } }), { v: payload })).toContain('contains');
  });

  it('so that oneOf counts only what conforms', async () => {
    const validator = await compile({
      properties: { v: { oneOf: [{ prefixItems: [text], contains: x }, { maxItems: 0 }] } },
    });
    expect(await refusedFor(validator, { v: [] })).toEqual([]);
    expect(await refusedFor(validator, { v: ['x'] })).toEqual([]);
    expect(await refusedFor(validator, { v: ['y'] })).toContain('oneOf');
  });
});

describe('both forms of the code run where a schema asks for what was evaluated', () => {
  it.each<[string, object, object, string | undefined]>([
    ['items beside it', { items: { type: 'integer' }, unevaluatedItems: true }, { v: ['x'] }, 'type'],
    ['another fault', { unevaluatedItems: true, maxItems: 0 }, { v: ['x'] }, 'maxItems'],
    ['contains', { contains: text, maxContains: 1, unevaluatedItems: false }, { v: ['x', 'y'] }, 'contains'],
    [
      'all conforming',
      { items: { type: 'integer' }, contains: { const: 1 }, unevaluatedItems: false },
      { v: [1, 2] },
      undefined,
    ],
  ])('%s', async (_what, v, payload, keyword) => {
    const found = await refusedFor(await compile({ properties: { v } }), payload);
    expect(found).toEqual(keyword ? expect.arrayContaining([keyword]) : []);
  });
});
