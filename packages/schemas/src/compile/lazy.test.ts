import { afterAll, expect, it } from 'vitest';
import { OutOfSteps } from '../budget.ts';
import type { Validator } from '../validate/validator.ts';
import { createCompiler } from './compiler.ts';

const compiler = createCompiler({ deadlineMs: 60_000 });
afterAll(() => compiler.close());

async function compile(schema: object): Promise<Validator> {
  const compiled = await compiler.compile(JSON.stringify({ type: 'object', ...schema }), { isLazy: true });
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.validator;
}

it('accepts without code, and has code for what is wrong once it was asked for', async () => {
  const { quick, code } = await compile({ properties: { a: { type: 'string' } } });
  expect(quick.validate({ a: '' })).toBeNull();
  expect(() => quick.validate({ a: 1 })).toThrow(OutOfSteps);
  await code();
  expect(quick.validate({ a: 1 })).toEqual([{ path: '/a', keyword: 'type', message: 'must be string' }]);
});

it.each([
  ['title and description', { properties: { a: { type: 'string' } }, title: 'A', description: 'a' }, true],
  [
    'the name of a definition',
    { $defs: { b: { type: 'string' } }, properties: { a: { $ref: '#/$defs/b' } } },
    false,
  ],
  ['the order of properties', { properties: { b: {}, a: {} } }, false],
])('schemas share a validator only if they mean the same: %s', async (_what, schema, isShared) => {
  const plain = await compile({ properties: { a: { type: 'string' } } });
  expect((await compile(schema)) === plain).toBe(isShared);
});
