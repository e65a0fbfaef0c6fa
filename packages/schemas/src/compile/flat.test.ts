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

const wide = (count: number) => ({
  properties: Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`p${i}`, { type: i % 2 ? 'number' : 'string' }]),
  ),
});

describe('wide schemas', () => {
  it.each([500, 1_000, 1_500, 5_000, 10_000])('of %i properties compile and validate', async (count) => {
    const validator = await compile(wide(count));
    const good = Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`p${i}`, i % 2 ? i : String(i)]),
    );
    expect(await refusedFor(validator, good)).toEqual([]);
    const bad = { ...good, [`p${count - 1}`]: 'text', p0: 0 };
    const issues = await validator.explain(bad, validator.validate(bad) ?? []);
    expect(issues.map(({ path, message }) => `${path} ${message}`).sort()).toEqual(
      ['/p0 must be string', `/p${count - 1} must be number`].sort(),
    );
  });

  it('take code in proportion to their number of different parts', async () => {
    const distinct = (count: number) => ({
      properties: Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`p${i}`, { maximum: 1_000 + i }]),
      ),
    });
    const [some, more] = await Promise.all([compile(distinct(1_000)), compile(distinct(3_000))]);
    expect((more?.code.length ?? 0) / (some?.code.length ?? 1)).toBeLessThan(3.2);
  });

  it.each<[string, (count: number) => object]>([
    ['required', (count) => ({ required: names(count) })],
    ['allOf', (count) => ({ allOf: names(count).map((name) => ({ required: [name] })) })],
    ['anyOf', (count) => ({ anyOf: names(count).map((name) => ({ required: [name] })) })],
    ['oneOf', (count) => ({ oneOf: names(count).map((name) => ({ required: [name] })) })],
    [
      'prefixItems',
      (count) => ({ properties: { v: { prefixItems: names(count).map((name) => ({ const: name })) } } }),
    ],
    [
      'dependentSchemas',
      (count) => ({ dependentSchemas: Object.fromEntries(names(count).map((name) => [name, x])) }),
    ],
    [
      'dependentRequired',
      (count) => ({ dependentRequired: Object.fromEntries(names(count).map((name) => [name, ['z']])) }),
    ],
  ])('of 3,000 parts compile (%s)', async (_what, schema) => {
    expect((await compile(schema(3_000))).validate([])).toMatchObject([{ keyword: 'type' }]);
  });
});

function names(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `a${i}`);
}
