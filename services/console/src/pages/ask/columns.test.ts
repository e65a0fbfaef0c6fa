import { expect, it } from 'vitest';
import { columnsToAsk, nameInSql } from './columns.ts';
import { examplesOf, firstQuestion } from './examples.ts';

const schema = {
  type: 'object',
  properties: {
    place: { type: 'string' },
    celsius: { type: 'number' },
    order: { type: 'integer' },
    id: { type: 'string' },
    'a.b': { type: 'boolean' },
    Date: { type: 'string' },
    address: { type: 'object', properties: { city: { type: 'string' }, 'post code': { type: 'string' } } },
  },
};
const columns = columnsToAsk(schema);

it('lists the columns of entries, then the fields, as they stand in SQL', () => {
  expect(columns.map(({ sql }) => sql)).toEqual([
    'createdAt',
    'id',
    'schema_version',
    'source',
    'key',
    'payload',
    'place',
    'celsius',
    '"order"',
    '"/id"',
    '"/a.b"',
    '"/Date"',
    '"address.city"',
    '"address.post code"',
  ]);
});

it.each([
  ['place', 'place'],
  ['Select', '"Select"'],
  ['left', '"left"'],
  ['2nd', '"2nd"'],
  ['a "b"', '"a ""b"""'],
  ['größe', '"größe"'],
])('writes the name %s as %s', (name, sql) => {
  expect(nameInSql(name)).toBe(sql);
});

it('gives examples about the first text and the first number', () => {
  expect(examplesOf(columns).map(({ name, column }) => [name, column])).toEqual([
    ['days', undefined],
    ['top', 'place'],
    ['average', 'celsius'],
    ['newest', undefined],
  ]);
  expect(examplesOf(columns)[1]?.sql).toContain('group by place\n');
  expect(examplesOf(columnsToAsk({})).map(({ sql }) => sql)).toEqual([
    expect.stringContaining('count(*)'),
    firstQuestion,
  ]);
});
