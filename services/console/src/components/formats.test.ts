import { expect, it } from 'vitest';
import { formatBytes, formatDistance, formatNumber } from './formats.ts';

it.each([
  [0, '0 bytes'],
  [1_023, '1,023 bytes'],
  [1_536, '1.5 KiB'],
  [5 * 1_024 ** 3, '5.0 GiB'],
  [3_000 * 1_024 ** 4, '3000.0 TiB'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it.each([
  ['2026-11-23T09:00:00Z', 'now'],
  ['2026-11-23T08:59:30Z', '30 seconds ago'],
  ['2026-11-23T08:15:00Z', '45 minutes ago'],
  ['2026-11-22T09:00:00Z', 'yesterday'],
  ['2026-11-30T09:00:00Z', 'in 7 days'],
  ['2024-11-23T09:00:00Z', '2 years ago'],
])('%s is %s', (at, text) => {
  expect(formatDistance(new Date(at), new Date('2026-11-23T09:00:00Z'))).toBe(text);
});

it('separates thousands', () => {
  expect(formatNumber(1_234_567)).toBe('1,234,567');
});
