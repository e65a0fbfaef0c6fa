import { expect, it } from 'vitest';
import { amend } from './amend.ts';
import { readAmendments } from './amendments.ts';

function change(json: string, { patch, coerce }: { patch?: unknown; coerce?: unknown }) {
  const text = (value: unknown) => (value === undefined ? undefined : JSON.stringify(value));
  const amended = amend(json, readAmendments({ patch: text(patch), coerce: text(coerce) }));
  return amended.ok ? amended.json : amended.message;
}

it.each([
  ['{"a":1}', [{ op: 'add', path: '/b', value: { c: [1, 'n2', null] } }], '{"a":1,"b":{"c":[1,"n2",null]}}'],
  ['{"a":[1,2]}', [{ op: 'add', path: '/a/1', value: 9 }], '{"a":[1,9,2]}'],
  ['{"a":[1,2]}', [{ op: 'add', path: '/a/-', value: 9 }], '{"a":[1,2,9]}'],
  ['{"a":[1,2]}', [{ op: 'add', path: '/a/2', value: 9 }], '{"a":[1,2,9]}'],
  ['{"a":[1,2]}', [{ op: 'add', path: '/a/3', value: 9 }], 'there is nothing at /a/3'],
  ['{"a":[1,2]}', [{ op: 'add', path: '/a/01', value: 9 }], 'there is nothing at /a/01'],
  ['{"a":1}', [{ op: 'add', path: '/b/c', value: 9 }], 'there is nothing at /b/c'],
  ['{"a":1,"b":2}', [{ op: 'remove', path: '/a' }], '{"b":2}'],
  ['{"a":[1,2,3]}', [{ op: 'remove', path: '/a/1' }], '{"a":[1,3]}'],
  ['{"a":1}', [{ op: 'remove', path: '/toString' }], 'there is nothing at /toString'],
  ['{"a":null}', [{ op: 'replace', path: '/a', value: 1 }], '{"a":1}'],
  ['{"a":1}', [{ op: 'replace', path: '/b', value: 1 }], 'there is nothing at /b'],
  ['{"a":1}', [{ op: 'replace', path: '', value: { b: 2 } }], '{"b":2}'],
  ['{"a":{"b":1},"c":{}}', [{ op: 'move', from: '/a/b', path: '/c/d' }], '{"a":{},"c":{"d":1}}'],
  ['{"a":{"b":1}}', [{ op: 'move', from: '/a', path: '/a/b' }], '/a cannot be moved into itself'],
  ['{"a":{"b":1}}', [{ op: 'copy', from: '/a', path: '/a/c' }], '{"a":{"b":1,"c":{"b":1}}}'],
  ['{"a":"text"}', [{ op: 'copy', from: '/a/length', path: '/b' }], 'there is nothing at /a/length'],
  ['{"a":"text"}', [{ op: 'copy', from: '/a/0', path: '/b' }], 'there is nothing at /a/0'],
  ['{"a":1.0}', [{ op: 'test', path: '/a', value: 1 }], '{"a":1.0}'],
  [
    '{"a":[{"b":-0.0,"c":1E2}]}',
    [{ op: 'test', path: '', value: { a: [{ c: 100, b: 0 }] } }],
    '{"a":[{"b":-0.0,"c":1E2}]}',
  ],
  [
    '{"a":9007199254740993}',
    [{ op: 'test', path: '/a', value: 9007199254740992 }],
    'the value at /a is another one',
  ],
  ['{"a":"1"}', [{ op: 'test', path: '/a', value: 1 }], 'the value at /a is another one'],
  ['{"a":{"b":[1]}}', [{ op: 'test', path: '/a', value: { b: [1] } }], '{"a":{"b":[1]}}'],
  ['{"a/b":{"c~d":1}}', [{ op: 'remove', path: '/a~1b/c~0d' }], '{"a/b":{}}'],
  ['{"a":1}', [{ op: 'add', path: '/constructor', value: 1 }], '{"a":1,"constructor":1}'],
  [
    '{"a":9007199254740993,"b":1e999}',
    [{ op: 'move', from: '/b', path: '/c' }],
    '{"a":9007199254740993,"c":1e999}',
  ],
  ['{"a":1,"a":2}', [{ op: 'remove', path: '/a' }], 'a payload with such keys cannot be changed'],
  ['{"__proto__":1}', [{ op: 'add', path: '/a', value: 1 }], 'a payload with such keys cannot be changed'],
])('%s with the patch %j becomes %s', (json, patch, becomes) => {
  expect(change(json, { patch })).toBe(becomes);
});

it.each<[to: string, json: string, becomes: string]>([
  ['number', '{"a":" -1.50e2 "}', '{"a":-1.50e2}'],
  ['number', '{"a":"01"}', '{"a":"01"}'],
  ['number', '{"a":"1,5"}', '{"a":"1,5"}'],
  ['number', '{"a":true}', '{"a":true}'],
  ['integer', '{"a":"9007199254740993"}', '{"a":9007199254740993}'],
  ['integer', '{"a":"1.5"}', '{"a":"1.5"}'],
  ['boolean', '{"a":"True"}', '{"a":true}'],
  ['boolean', '{"a":"1"}', '{"a":"1"}'],
  ['string', '{"a":12345678901234567890}', '{"a":"12345678901234567890"}'],
  ...['1.10', '1e5', '1E+05', '-0', '-0.0', '0.10000000000000001', '1e999', '9007199254740993.0'].map(
    (literal): [string, string, string] => ['string', `{"a":${literal}}`, `{"a":"${literal}"}`],
  ),
  ['string', '{"a":false}', '{"a":"false"}'],
  ['string', '{"a":null}', '{"a":null}'],
  ['trim', '{"a":" x y "}', '{"a":"x y"}'],
  ['trim', '{"b":" x "}', '{"b":" x "}'],
])('to %s: %s becomes %s', (to, json, becomes) => {
  expect(change(json, { coerce: [{ path: '/a', to }] })).toBe(becomes);
});

it.each([
  ['{}', '{"a":{"b":1}}', '/a'],
  ['{"a":null}', '{"a":null}', '/a'],
  ['{"x":[]}', '{"x":[]}', '/x/1'],
  ['{"x":1}', '{"x":1}', '/x/a'],
  ['{"x":{}}', '{"x":{"a":{"b":1}}}', '/x/a'],
])('a default: %s becomes %s', (json, becomes, path) => {
  expect(change(json, { coerce: [{ path, default: { b: 1 } }] })).toBe(becomes);
});

it.each([
  [{ to: 'number', decimal: ',', unit: 'kr' }, '{"a":"25,00 kr"}', '{"a":25.00}'],
  [{ to: 'number', decimal: ',', unit: 'kr' }, '{"a":"25,00 USD"}', '{"a":"25,00 USD"}'],
  [{ to: 'number', decimal: '.' }, '{"a":"1,234.5"}', '{"a":1234.5}'],
  [{ to: 'integer', decimal: ',' }, '{"a":"1.234"}', '{"a":1234}'],
  [{ to: 'integer', decimal: ',' }, '{"a":"1,5"}', '{"a":"1,5"}'],
  [{ to: 'date', order: 'dmy' }, '{"a":" 25.11.2026 "}', '{"a":"2026-11-25"}'],
  [{ to: 'date', order: 'mdy' }, '{"a":"25/11/2026"}', '{"a":"25/11/2026"}'],
  [{ to: 'date', order: 'dmy' }, '{"a":20261125}', '{"a":20261125}'],
  [{ divide: 100 }, '{"a":2150}', '{"a":21.5}'],
  [{ divide: 100 }, '{"a":"2150"}', '{"a":"2150"}'],
  [{ if: 'Olso', set: 'Oslo' }, '{"a":"Olso"}', '{"a":"Oslo"}'],
  [{ if: 'Olso', set: 'Oslo' }, '{"a":"Rome"}', '{"a":"Rome"}'],
  [{ if: 1, set: 2 }, '{"a":1.0}', '{"a":2}'],
  [{ if: null, remove: true }, '{"a":null,"b":1}', '{"b":1}'],
  [{ if: null, remove: true }, '{"a":"null"}', '{"a":"null"}'],
  [{ if: null, remove: true }, '{"b":1}', '{"b":1}'],
])('%j: %s becomes %s', (coercion, json, becomes) => {
  expect(change(json, { coerce: [{ path: '/a', ...coercion }] })).toBe(becomes);
});

it('no element is removed: the others would change their places', () => {
  expect(change('{"a":[null,1]}', { coerce: [{ path: '/a/0', if: null, remove: true }] })).toBe(
    '{"a":[null,1]}',
  );
});

it.each([
  [{ to: 'date' }, '/coerce/0/order', 'must be one of dmy, mdy, ymd'],
  [{ to: 'number', decimal: ';' }, '/coerce/0/decimal', 'must be one of ., ,'],
  [{ divide: 3 }, '/coerce/0/divide', 'must be one of 10, 100, 1000, 10000, 100000, 1000000'],
  [{ if: null }, '/coerce/0', 'needs `set`, or `remove: true`'],
])('%j is refused', (coercion, path, message) => {
  const wrong = expect.objectContaining({ path, message });
  expect(() => change('{}', { coerce: [{ path: '/a', ...coercion }] })).toThrow(wrong);
});

it('numbers keep their text, whether they were uploaded or come with a change', () => {
  const patch = '[{"op":"add","path":"/b","value":[1.10]},{"op":"copy","from":"/a","path":"/c"}]';
  const coerce = '[{"path":"/d","default":-0.0},{"path":"/b/0","to":"string"},{"path":"/d","to":"string"}]';
  expect(amend('{"a":1e5}', readAmendments({ patch, coerce }))).toEqual({
    ok: true,
    json: '{"a":1e5,"b":["1.10"],"c":1e5,"d":"-0.0"}',
  });
});

it('coercions come after the patch', () => {
  const patch = [{ op: 'move', from: '/temp', path: '/celsius' }];
  const coerce = [{ path: '/celsius', to: 'number' }];
  expect(change('{"temp":"1"}', { patch, coerce })).toBe('{"celsius":1}');
});

it.each([
  ['behind many other faults', `{"x":[${'1e999,'.repeat(100)}0],"a":1,"a":2}`],
  ['very deep', `{"x":${'['.repeat(70)}{"a":1,"a":2}${']'.repeat(70)}}`],
])('a key that is there twice %s is found', (_where, json) => {
  expect(change(json, { patch: [{ op: 'add', path: '/b', value: 1 }] })).toBe(
    'a payload with such keys cannot be changed',
  );
});

it('a payload that would grow without end is left as it is', () => {
  const patch = [
    { op: 'add', path: '/a', value: ['x'.repeat(1_000)] },
    ...Array.from({ length: 99 }, () => ({ op: 'copy', from: '/a', path: '/a/-' })),
  ];
  expect(change('{}', { patch })).toBe('the patch makes the payload too large');
});
