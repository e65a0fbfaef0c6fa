import { describe, expect, it } from 'vitest';
import { ApiFailure, faultAt } from '../../api/failure.ts';
import { type Change, suggestChange, toAmendments } from './fix.ts';

const change = (given: Partial<Change>): Change => ({ id: 0, path: '/a', to: 'number', value: '', ...given });

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
  const reason = { count: 1, kept: 1, dismissed: false, first_at: '', last_at: '' };
  it.each([
    ['/a', 'type', 'must be number', { path: '/a', to: 'number' }],
    ['/a', 'type', 'must be string,null', { path: '/a', to: 'trim' }],
    ['', 'required', 'b/c~', { path: '/b~1c~0', to: 'default' }],
    ['/a', 'required', 'b', { path: '/a/b', to: 'default' }],
    ['/a', 'enum', 'must be one of "x"', { path: '/a', to: 'trim' }],
  ])('for %s %s %s', (path, keyword, told, expected) => {
    const group = {
      ...reason,
      path,
      keyword,
      message: told,
      ...(keyword === 'required' && { property: told }),
    };
    expect(suggestChange(group)).toMatchObject(expected);
  });
});

it('a fault is told at its place only', () => {
  const details = [
    { in: 'body' as const, path: '/coerce/1/to', keyword: 'operation', message: 'must be one of' },
  ];
  const failure = new ApiFailure('body', { details });
  expect(faultAt(failure, '/coerce/1')).toBe('must be one of');
  expect(faultAt(failure, '/coerce/10')).toBeUndefined();
  expect(faultAt(failure, '/patch')).toBeUndefined();
  expect(faultAt(new Error('unreachable'), '/patch')).toBeUndefined();
});
