import { expect, it } from 'vitest';
import { faultOfScalarMember } from './scalar-member.ts';

const id = { type: 'string' };
const withId = { type: 'object', required: ['id'], properties: { id } };

it.each<[string, Record<string, unknown>, string]>([
  ['a text', withId, '/id'],
  ['an integer', { ...withId, properties: { id: { type: 'integer' } } }, '/id'],
  ['a list of values', { ...withId, properties: { id: { enum: ['a', 1, true] } } }, '/id'],
  ['a constant', { ...withId, properties: { id: { const: 1 } } }, '/id'],
  ['a nested one', { required: ['a'], properties: { a: withId } }, '/a/id'],
  ['one by references', { $defs: { id, it: withId }, allOf: [{ $ref: '#/$defs/it' }] }, '/id'],
  ['one that is required elsewhere', { properties: { id }, allOf: [{ required: ['id'] }] }, '/id'],
  ['a name with escapes', { required: ['a/b~'], properties: { 'a/b~': id } }, '/a~1b~0'],
])('takes %s', (_what, schema, path) => {
  expect(faultOfScalarMember(schema, path)).toBeUndefined();
});

it.each<[string, Record<string, unknown>, string, string]>([
  ['no member', withId, '', 'the path of a member'],
  ['one that is optional', { properties: { id } }, '/id', '/id is not required by the schema: add it'],
  ['one that is not declared', withId, '/other', '/other is not among the properties'],
  ['one that may be null', { ...withId, properties: { id: { type: ['string', 'null'] } } }, '/id', 'always'],
  ['one of any type', { ...withId, properties: { id: {} } }, '/id', 'not always a string, a number'],
  ['an object', { required: ['a'], properties: { a: withId } }, '/a', 'not always a string'],
  ['one in an optional object', { properties: { a: withId } }, '/a/id', '/a is not required'],
  [
    'one in what may be a text',
    { required: ['a'], properties: { a: { ...withId, type: ['object', 'string'] } } },
    ...(['/a/id', '/a is not always an object'] as const),
  ],
  ['one of one alternative', { anyOf: [withId, { type: 'object' }] }, '/id', 'not among the properties'],
  ['a name of every object', { required: ['toString'] }, '/toString', 'not among the properties'],
  ['one that nothing can be', { ...withId, properties: { id: false } }, '/id', 'not always a string'],
])('refuses %s', (_what, schema, path, reason) => {
  expect(faultOfScalarMember(schema, path)).toContain(reason);
});
