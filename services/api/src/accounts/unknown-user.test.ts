import { Worker } from 'node:worker_threads';
import bcrypt from 'bcrypt';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createPasswords } from './passwords.ts';

const cost = 5;

it.each([
  ['an unknown user', 'correct horse', undefined],
  ['a wrong password', 'wrong horse', bcrypt.hashSync('correct horse', cost)],
  ['a password with NUL', 'abcd\0abcd', bcrypt.hashSync('abcd\0abcd', cost)],
  ['a password that is too short', 'abcd', bcrypt.hashSync('abcd\0abcd', cost)],
  ['a password that is too long', 'p'.repeat(73), bcrypt.hashSync('p'.repeat(73), cost)],
])('%s costs one comparison, at the full cost, and is refused', async (_what, password, hash) => {
  const asked = vi.spyOn(Worker.prototype, 'postMessage');
  const passwords = createPasswords(cost);
  onTestFinished(async () => {
    asked.mockRestore();
    await passwords.close();
  });
  expect(await passwords.verify(password, hash, '127.0.0.1')).toBe(false);
  const compared = asked.mock.calls.flatMap(([request]) => (request.hash ? [request.hash] : []));
  expect(compared.map((known) => bcrypt.getRounds(known))).toEqual([cost]);
});
