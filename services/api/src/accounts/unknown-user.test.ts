import bcrypt from 'bcrypt';
import { expect, it, vi } from 'vitest';
import { createPasswords } from './passwords.ts';

const cost = 5;

it.each([
  ['an unknown user', 'correct horse', undefined],
  ['a wrong password', 'wrong horse', bcrypt.hashSync('correct horse', cost)],
  ['a password that is too long', 'p'.repeat(73), bcrypt.hashSync('p'.repeat(73), cost)],
])('%s costs one comparison, at the full cost, and is refused', async (_what, password, hash) => {
  const compare = vi.spyOn(bcrypt, 'compare');
  const passwords = createPasswords(cost);
  expect(await passwords.verify(password, hash)).toBe(false);
  expect(compare.mock.calls.map(([, with_]) => bcrypt.getRounds(with_ as string))).toEqual([cost]);
  compare.mockRestore();
});
