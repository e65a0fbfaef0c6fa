import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { refusedSchemas } from '../../../../test/support/refused-schemas.ts';
import { createCompiler } from './compiler.ts';

const compiler = createCompiler();
afterAll(() => compiler.close());

it.each(refusedSchemas)('a schema is refused: %s: %s', async (_documented, _what, schema, message) => {
  expect(await compiler.compile(schema, { isNew: true })).toEqual({
    ok: false,
    problem: expect.stringMatching(message),
  });
});

it('each has a row in docs/schemas.md, and each row has one', () => {
  const docs = readFileSync(new URL('../../../../docs/schemas.md', import.meta.url), 'utf8');
  const table = docs.slice(docs.indexOf('| refused |')).split('\n\n')[0]?.split('\n').slice(2) ?? [];
  const tested = [...new Set(refusedSchemas.map(([documented]) => documented))];
  const unmatched = table.filter((row) => !tested.some((start) => row.startsWith(`| ${start}`)));
  expect(unmatched).toEqual([]);
  expect(table).toHaveLength(tested.length);
});
