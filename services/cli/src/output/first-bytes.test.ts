import { expect, it } from 'vitest';
import { firstBytes } from './first-bytes.ts';

it.each([
  ['{"place":"Malmö"}\r', 'utf8', '{"place":"Malmö"}'],
  ['{"place":"Malm\xf6"}', 'latin1', '{"place":"Malm\\xf6"}'],
  ['{\0"\0', 'latin1', '{\\u0000"\\u0000'],
  ['\x1b[2J\x9b1m', 'latin1', '\\u001b[2J\\x9b1m'],
  ['x'.repeat(100), 'utf8', `${'x'.repeat(60)}…`],
  [`${'x'.repeat(59)}ö`, 'utf8', `${'x'.repeat(59)}…`],
] as const)('shows the start of %j in %s', (line, encoding, shown) => {
  expect(firstBytes(Buffer.from(line, encoding))).toBe(shown);
});
