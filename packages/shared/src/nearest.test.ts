import { expect, it } from 'vitest';
import { nearest } from './nearest.ts';

const names = ['type', 'enum', 'not', 'properties', 'minLength', 'maxLength', 'minimum', '$ref'];

it.each([
  ['propertees', 'properties'],
  ['property', undefined],
  ['Properties', 'properties'],
  ['minlength', 'minLength'],
  ['minlenght', 'minLength'],
  ['ref', '$ref'],
  ['tpye', 'type'],
  ['pyte', undefined],
  ['types', 'type'],
  ['no', 'not'],
  ['unit', undefined],
  ['', undefined],
  ['type', undefined],
  ['a'.repeat(100_000), undefined],
])('the nearest to %.20s is %s', (given, expected) => {
  expect(nearest(given, names)).toBe(expected);
});
