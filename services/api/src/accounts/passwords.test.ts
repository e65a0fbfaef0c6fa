import { expect, it, onTestFinished } from 'vitest';
import { createCapacities } from '../limits/capacity.ts';
import { createPasswords } from './passwords.ts';

function start(cost = 4) {
  const passwords = createPasswords(cost, createCapacities().passwords);
  onTestFinished(passwords.close);
  return passwords;
}

it('knows a password by its hash, and takes no longer one that begins like it', async () => {
  const passwords = start();
  const long = 'x'.repeat(72);
  const hash = await passwords.hash(long, '192.0.2.1');
  expect(await passwords.verify(long, hash, '192.0.2.1')).toBe(true);
  expect(await passwords.verify(`${long}x`, hash, '192.0.2.1')).toBe(false);
  expect(await passwords.verify(long, undefined, '192.0.2.1')).toBe(false);
});

it('lets no address fill what may wait: beyond its share 429 at once, and another address is served', async () => {
  const passwords = start(8);
  const many = Array.from({ length: 200 }, () => passwords.hash('correct horse', '192.0.2.1'));
  const other = passwords.hash('correct horse', '192.0.2.2');
  const answers = await Promise.allSettled(many);
  const refused = answers.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThan(100);
  for (const answer of refused)
    expect(answer).toMatchObject({ reason: { name: 'TooManyRequestsError', status: 429 } });
  expect(await passwords.verify('correct horse', await other, '192.0.2.2')).toBe(true);
});
