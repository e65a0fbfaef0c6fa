import { survey } from '@sluice/schemas/infer/survey.ts';
import { toSchema } from '@sluice/schemas/infer/to-schema.ts';
import { expect, it } from 'vitest';
import { checkRows } from './check-rows.ts';

const schema = toSchema(survey([{ celsius: 1.5, by: { name: 'ada' }, at: '2026-11-23T09:00:00Z' }]));

it('the check of rows says which row, where and what', () => {
  const at = '2026-11-23T10:00:00+01:00';
  const faults = checkRows(schema, [
    { row: 2, value: { celsius: 1, by: { name: 'a' }, at } },
    { row: 7, value: { celsius: 'warm', by: {}, at: 'noon' } },
  ]);
  expect(faults.map(({ row, path }) => ({ row, path }))).toEqual([
    { row: 7, path: '/celsius' },
    { row: 7, path: '/by' },
    { row: 7, path: '/at' },
  ]);
});

it.each([
  ['duration', 'P1Y2D', 1],
  ['iso-time', '12:00:00', 0],
  ['email', '"a b"@example.org', 0],
  ['iri', 'no IRI', 0],
])('the check of rows judges %s as the API does', (format, text, count) => {
  const properties = { v: { type: 'string', format } };
  expect(checkRows({ type: 'object', properties }, [{ row: 1, value: { v: text } }])).toHaveLength(count);
});
