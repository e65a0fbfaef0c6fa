import { describe, expect, it } from 'vitest';
import { faultAt, RequestFailure } from '../../api/failure.ts';
import { newChange as change, isComplete, toAmendments } from './fix.ts';

describe('a fix', () => {
  it.each([
    [change({ path: '/a' }), '[{"path":"/a","to":"number"}]'],
    [change({ path: '/a"b', to: 'trim' }), '[{"path":"/a\\"b","to":"trim"}]'],
    [
      change({ path: '/a', to: 'default', value: '9223372036854775807' }),
      '[{"path":"/a","default":9223372036854775807}]',
    ],
    [change({ path: '/a', to: 'default', value: '{"b":1}' }), '[{"path":"/a","default":{"b":1}}]'],
    [
      change({ path: '/a', to: 'default', value: 'New "York"' }),
      '[{"path":"/a","default":"New \\"York\\""}]',
    ],
    [
      change({ path: '/a', to: 'written', decimal: ',', unit: 'kr' }),
      '[{"path":"/a","to":"number","decimal":",","unit":"kr"}]',
    ],
    [change({ path: '/a', to: 'written', decimal: '.' }), '[{"path":"/a","to":"number","decimal":"."}]'],
    [change({ path: '/a', to: 'date', order: 'dmy' }), '[{"path":"/a","to":"date","order":"dmy"}]'],
    [change({ path: '/a', to: 'divide', value: '100' }), '[{"path":"/a","divide":100}]'],
    [
      change({ path: '/a', to: 'replace', from: 'Olso', value: 'Oslo' }),
      '[{"path":"/a","if":"Olso","set":"Oslo"}]',
    ],
    [change({ path: '/a', to: 'remove', from: 'null' }), '[{"path":"/a","if":null,"remove":true}]'],
  ])('%o is sent as %s', (given, coerce) => {
    expect(toAmendments({ changes: [given], patch: ' ' })).toEqual({ coerce });
  });

  it('has its patch as it was written', () => {
    expect(toAmendments({ changes: [], patch: '[oops' })).toEqual({ patch: '[oops' });
  });
});

it.each([
  [change({ path: '/a', to: 'number' }), true],
  [change({ path: '/a', to: 'remove', from: 'null' }), true],
  [change({ path: '/a', to: 'date' }), false],
  [change({ path: '/a', to: 'date', order: 'mdy' }), true],
  [change({ path: '/a', to: 'written' }), false],
  [change({ path: '/a', to: 'default' }), false],
  [change({ path: '/a', to: 'divide' }), false],
  [change({ path: '/a', to: 'replace', from: 'x' }), false],
])('%o is complete: %s', (given, complete) => {
  expect(isComplete({ changes: [given], patch: '' })).toBe(complete);
});

it('a fix without a change is not complete', () => {
  expect(isComplete({ changes: [], patch: ' ' })).toBe(false);
  expect(isComplete({ changes: [], patch: '[]' })).toBe(true);
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
