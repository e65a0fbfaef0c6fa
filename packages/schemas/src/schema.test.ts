import { expect, it } from 'vitest';
import { parseSchema } from './schema.ts';

it.each([
  ['9007199254740993', 9007199254740993n],
  ['-9007199254740993.0', -9007199254740993n],
  ['1e18', 1_000_000_000_000_000_000n],
  ['10.5E+17', 1_050_000_000_000_000_000n],
  ['900719925474099', 900719925474099],
  ['"1e18"', '1e18'],
  ['0.1', 0.1],
])('reads %s exactly', (literal, value) => {
  expect(parseSchema(`{"const":${literal}}`)).toEqual({ const: value });
});
