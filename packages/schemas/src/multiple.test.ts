import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { faultsOf } from '../../../test/support/faults-of.ts';
import { runs } from '../../../test/support/runs.ts';
import { createCompiler } from './compile/compiler.ts';
import { isMultiple } from './multiple.ts';

const compiler = createCompiler();
afterAll(() => compiler.close());

describe('multipleOf', () => {
  it.each([
    [0.07, 0.01, true],
    [19.99, 0.01, true],
    [4.35, 0.01, true],
    [-1.15, 0.05, true],
    [1e308, 0.01, true],
    [0, 0.3, true],
    [6, 3, true],
    [1e21, 7, false],
    [0.075, 0.01, false],
    [7, 2, false],
    [5e-324, 1, false],
    [9007199254740991, 2, false],
  ])('%d is a multiple of %d: %s', (value, divisor, expected) => {
    expect(isMultiple(value, divisor)).toBe(expected);
  });

  it('takes every price in cents', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1e13 }), (cents) => {
        expect(isMultiple(Number(`${cents}e-2`), 0.01)).toBe(true);
        expect(isMultiple(Number(`${cents}5e-3`), 0.01)).toBe(false);
      }),
      runs(),
    );
  });

  it.each(['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-04/schema#'])(
    'is decimal in a compiled schema of %s',
    async ($schema) => {
      const raw = JSON.stringify({ $schema, type: 'object', properties: { price: { multipleOf: 0.01 } } });
      const compiled = await compiler.compile(raw);
      if (!compiled.ok) throw new Error(compiled.problem);
      expect(faultsOf(compiled.schema, { price: 19.99 })).toBeNull();
      expect(faultsOf(compiled.schema, { price: 19.995 })).toMatchObject([
        { path: '/price', keyword: 'multipleOf' },
      ]);
    },
  );
});
