import { createCompiler } from '@sluice/schemas/compile/compiler.ts';
import type { CompiledSchema } from '@sluice/schemas/judge/compiled-schema.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { faultsOf } from '../support/faults-of.ts';

// What a schema may take is tested elsewhere; this machine may be busy.
const compiler = createCompiler({ deadlineMs: 60_000 });
afterAll(() => compiler.close());

async function compile(schema: object): Promise<CompiledSchema> {
  const compiled = await compiler.compile(JSON.stringify({ type: 'object', ...schema }), { isNew: true });
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.schema;
}

const x = { const: 'x' };

const wide = (count: number) => ({
  properties: Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`p${i}`, { type: i % 2 ? 'number' : 'string' }]),
  ),
});

describe('wide schemas', () => {
  it.each([1_000, 1_500, 10_000])('of %i properties compile and validate', async (count) => {
    const validator = await compile(wide(count));
    const good = Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`p${i}`, i % 2 ? i : String(i)]),
    );
    expect(validator.judge(good)).toBe('conforms');
    const bad = { ...good, [`p${count - 1}`]: 'text', p0: 0 };
    const issues = faultsOf(validator, bad);
    expect(issues?.map(({ path, message }) => `${path} ${message}`).sort()).toEqual(
      ['/p0 must be string', `/p${count - 1} must be number`].sort(),
    );
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
    expect(faultsOf(await compile(schema(3_000)), [])).toMatchObject([{ keyword: 'type' }]);
  });
});

function names(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `a${i}`);
}
