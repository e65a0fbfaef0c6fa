import { expect, it } from 'vitest';
import { schemaFields } from './schema-fields.ts';

it('takes a part that references lead to in a billion ways once', () => {
  const doubling = Array.from({ length: 30 }, (_, i) => [
    `d${i}`,
    { allOf: Array(2).fill({ $ref: `#/$defs/d${i + 1}` }) },
  ]);
  const properties = { a: { properties: { b: {}, c: {} } }, d: {} };
  const $defs = { ...Object.fromEntries(doubling), d30: { properties } };
  expect(schemaFields({ $defs, $ref: '#/$defs/d0' })).toEqual(['/a/b', '/a/c', '/d']);
});

it('leaves out a property that contains itself, also by way of several parts', () => {
  const schema = {
    $defs: { node: { properties: { name: {}, next: { allOf: [{}, { $ref: '#/$defs/node' }] } } } },
    properties: { list: { $ref: '#/$defs/node' } },
  };
  expect(schemaFields(schema)).toEqual(['/list/name']);
});
