import { createHash } from 'node:crypto';
import { Binary } from 'mongodb';
import { expect, it } from 'vitest';
import { hashIdempotencyKey, hashUniqueValue, lineHash, type UniqueValue } from './once.ts';
import { addProofs, proofOf } from './proof.ts';

const application = '0'.repeat(24);
const proofIn = (text: string) => createHash('sha256').update(text).digest().readBigUInt64BE();
const value = new Binary(hashUniqueValue(application, '/id', 'a7'));
const key = new Binary(hashIdempotencyKey('upload', application, 'k1'));

it.each<[UniqueValue, string]>([
  ['a7', 'a7'],
  ['7', '7'],
  [7, '7'],
  [0.5, '0.5'],
  [2n ** 62n, '4611686018427387904'],
  [true, 'true'],
])('of the unique value %o begins the SHA-256 of its text', (unique, text) => {
  expect(proofOf(new Binary(hashUniqueValue(application, '/id', unique)))).toBe(proofIn(text));
});

it('of a key begins the SHA-256 of the key, and the value comes first', () => {
  expect(proofOf(key)).toBe(proofIn('k1'));
  expect(proofOf([value, key])).toBe(proofIn('a7'));
});

it('is nothing for a line of a keyed batch, and without a hash', () => {
  expect(proofOf(new Binary(lineHash(Buffer.from(key.buffer), 1)))).toBe(0n);
  expect(proofOf(undefined)).toBe(0n);
});

it('adds up modulo 2^64', () => {
  expect(addProofs(2n ** 64n - 1n, 2n)).toBe(1n);
  expect(addProofs(1n, -2n)).toBe(2n ** 64n - 1n);
});
