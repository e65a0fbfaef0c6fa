import { findRepeatedKeys } from '@sluice/json/find-issues.ts';
import { expect, it } from 'vitest';
import { growsFaster } from '../../../test/support/processor-time.ts';
import { readPayload } from './read-payload.ts';

const half = 500_000;
const repeat = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => item(i)).join();

it.each([
  ['500,000 nested arrays', '['.repeat(half) + ']'.repeat(half), 1],
  ['150,000 nested objects', `${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`, 1],
  ['100,000 times the same key', `{${repeat(100_000, () => '"k":1')}}`, 1],
  ['50,000 keys twice', `{${repeat(50_000, (i) => `"k${i}":1,"k${i}":2`)}}`, 100],
  ['a million digits', '9'.repeat(2 * half), 1],
  ['a million digits with zeros inside', `1${'0'.repeat(2 * half)}1`, 1],
  ['a million decimals', `0.${'0'.repeat(2 * half)}1`, 1],
  ['a huge exponent', '[1e999999999]', 1],
  ['an exponent of half a million digits', `1e-${'9'.repeat(half)}`, 1],
  ['60,000 numbers too large', `[${repeat(60_000, () => '9223372036854775808')}]`, 100],
  ['170,000 halves of surrogate pairs', `["${'\\ud800'.repeat(170_000)}"]`, 1],
  [
    'many numbers below 63 long keys',
    `${`{"${'~'.repeat(15_000)}":`.repeat(63)}[${repeat(200, () => '1e999')}]${'}'.repeat(63)}`,
    100,
  ],
  ['many numbers below an endless key', `{"${'~'.repeat(half)}":[${repeat(200, () => '1e999')}]}`, 100],
])('%s: refused with a bounded number of short issues', (_, text, count) => {
  const reading = readPayload(Buffer.from(text));
  const issues = !reading.ok && reading.kind === 'inexact' ? reading.issues : [];
  expect(issues).toHaveLength(count);
  expect(JSON.stringify(reading).length).toBeLessThan(200_000);
});

it('repeated keys at a great depth are found in time that grows with the text', () => {
  const nested = (length: number) =>
    `${'{"a":'.repeat(length)}{${repeat(length, () => '"k":1,"k":2,"l":[{"k":1,"k":2}]')}}${'}'.repeat(length)}`;
  expect(findRepeatedKeys(nested(1_000))).toHaveLength(100);
  expect(growsFaster((length) => findRepeatedKeys(nested(length)), 1_000)).toBe(false);
});

it.each([
  ['a million backslashes', `"${'\\'.repeat(2 * half)}`],
  ['a million spaces', ' '.repeat(2 * half)],
  ['500,000 arrays left open', '['.repeat(half)],
])('%s: malformed', (_, text) => {
  expect(readPayload(Buffer.from(text))).toMatchObject({ ok: false, kind: 'malformed' });
});

it.each([
  ['zeros that the exponent takes back', `1${'0'.repeat(half)}e-${half}`],
  ['a reference of a million characters', JSON.stringify({ $ref: 'a.'.repeat(half), $id: 1 })],
  ['300,000 empty objects', `[${repeat(300_000, () => '{}')}]`],
])('%s: kept', (_, text) => {
  expect(readPayload(Buffer.from(text)).ok).toBe(true);
});
