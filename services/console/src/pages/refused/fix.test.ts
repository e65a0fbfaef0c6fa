import { describe, expect, it } from 'vitest';
import { faultAt, RequestFailure } from '../../api/failure.ts';
import { type FixChange, suggestChange, toAmendments } from './fix.ts';

const change = (given: Partial<FixChange>): FixChange => ({
  id: 0,
  path: '/a',
  to: 'number',
  value: '',
  ...given,
});

describe('a fix', () => {
  it.each([
    [change({}), '[{"path":"/a","to":"number"}]'],
    [change({ path: '/a"b', to: 'trim' }), '[{"path":"/a\\"b","to":"trim"}]'],
    [
      change({ to: 'default', value: '9223372036854775807' }),
      '[{"path":"/a","default":9223372036854775807}]',
    ],
    [change({ to: 'default', value: '{"b":1}' }), '[{"path":"/a","default":{"b":1}}]'],
    [change({ to: 'default', value: 'New "York"' }), '[{"path":"/a","default":"New \\"York\\""}]'],
  ])('%o is sent as %s', (given, coerce) => {
    expect(toAmendments({ changes: [given], patch: ' ' })).toEqual({ coerce });
  });

  it('has its patch as it was written', () => {
    expect(toAmendments({ changes: [], patch: '[oops' })).toEqual({ patch: '[oops' });
  });
});

describe('what is suggested', () => {
  const schema = JSON.stringify({
    type: 'object',
    properties: {
      a: { type: 'number' },
      b: { type: ['string', 'null'] },
      c: { type: 'array', items: { type: 'boolean' } },
      d: { type: 'object' },
    },
  });
  it.each([
    ['/a', 'type', undefined, { path: '/a', to: 'number' }],
    ['/b', 'type', undefined, { path: '/b', to: 'trim' }],
    ['/c/0', 'type', undefined, { path: '/c/0', to: 'boolean' }],
    ['/d', 'type', undefined, { path: '/d', to: 'trim' }],
    ['/nowhere', 'type', undefined, { path: '/nowhere', to: 'trim' }],
    ['', 'required', 'b/c~', { path: '/b~1c~0', to: 'default' }],
    ['/a', 'required', 'b', { path: '/a/b', to: 'default' }],
    ['/a', 'enum', undefined, { path: '/a', to: 'trim' }],
  ])('for %s %s %s', (path, keyword, property, expected) => {
    expect(suggestChange({ path, keyword, ...(property && { property }) }, schema)).toMatchObject(expected);
  });
});

it('a fault is told at its place only', () => {
  const details = [
    { in: 'body' as const, path: '/coerce/1/to', keyword: 'operation', message: 'must be one of' },
  ];
  const failure = new RequestFailure('body', { details });
  expect(faultAt(failure, '/coerce/1')).toBe('must be one of');
  expect(faultAt(failure, '/coerce/10')).toBeUndefined();
  expect(faultAt(failure, '/patch')).toBeUndefined();
  expect(faultAt(new Error('unreachable'), '/patch')).toBeUndefined();
});
