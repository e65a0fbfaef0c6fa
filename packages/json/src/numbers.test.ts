import { readPayload } from '@sluice/bson/read-payload.ts';
import { expect, it } from 'vitest';
import { keptNumber, toNumber } from './numbers.ts';

const zeros = '0'.repeat(1_000);

it.each([
  ...[
    '0',
    '-0',
    '-0.0',
    '0e999999999',
    '0e-999999999',
    '1.0',
    '1e2',
    '0.10',
    '1E+2',
    '1e0',
    '-1.50',
    '120e-1',
  ],
  ...['5e-324', '1.7976931348623157e308', '100000000000000000000000', '1e23', '1000000000000000000000'],
  ...['9007199254740992', '9007199254740994', '-9007199254740992', '0.1', '0.30000000000000004', '1e-7'],
  ...[
    '123456789012345.0000000000',
    '0.000000000000000000001',
    '17.976931348623157e307',
    '4.9e-324',
    '0.30000000000000001',
    '1e000000000000000000002',
  ],
  ...[`1${zeros}e-1000`, `0.${zeros}1e1001`, `1.${zeros}`, '1152921504606847000'],
])('keeps %s', (literal) => {
  expect(keptNumber(literal)).toBe(toNumber(literal));
  expect(readPayload(Buffer.from(`{"a":[${literal}]}`)).ok).toBe(true);
});

const [least, most] = ['-9223372036854775808', '9223372036854775807'];

it.each([
  ['9007199254740993', 9007199254740993n],
  ['-9007199254740993', -9007199254740993n],
  ['9007199254740993.0', 9007199254740993n],
  ['1152921504606846976', 2n ** 60n],
  ['1152921504606847e3', 1152921504606847000n],
  ['1e18', 10n ** 18n],
  [least, -(2n ** 63n)],
  [most, 2n ** 63n - 1n],
  ['9007199254740991', 9007199254740991],
  ['9007199254740992.5', 9007199254740992],
  ['9223372036854776000', 2 ** 63],
  ['0.10000000000000001', 0.1],
  ['-0', -0],
])('reads %s as %s', (literal, value) => {
  expect(keptNumber(literal)).toBe(value);
  expect(toNumber(literal)).toBe(value);
  const reading = readPayload(Buffer.from(`[${literal}]`));
  expect(reading).toMatchObject({ ok: true, payload: [value] });
});

it.each([
  '9223372036854775808',
  '-9223372036854775809',
  '123456789012345678901',
  '18446744073709551615',
  `1${zeros}1`,
])('refuses the integer %s, which is beyond 64 bits', (literal) => {
  expect(keptNumber(literal)).toBeUndefined();
  expect(readPayload(Buffer.from(`{"a":[${literal}]}`))).toMatchObject({
    ok: false,
    kind: 'inexact',
    issues: [{ path: '/a/0', keyword: 'integerRange' }],
  });
});

it.each([
  ...['1e400', '-1e400', '1e999999999', '1.7976931348623159e308', '1e-400', '-1e-400', '1e-999999999'],
  ...['0.1000000000000000055', '0.1000000000000000055511151231257827', '3.14159265358979323846'],
  ...[`0.${zeros}1`, `1.${zeros}1`, '123456789012345678.5'],
])('refuses %s', (literal) => {
  expect(keptNumber(literal)).toBeUndefined();
  expect(readPayload(Buffer.from(`{"a":[${literal}]}`))).toMatchObject({
    ok: false,
    kind: 'inexact',
    issues: [{ path: '/a/0', keyword: 'exactNumber' }],
  });
});
