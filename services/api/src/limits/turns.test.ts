import { expect, it } from 'vitest';
import { createTurns, TooManyTurns } from './turns.ts';

it('refuses at once what is too much of one key, and takes more when that is done', async () => {
  const turns = createTurns(2);
  const gate = Promise.withResolvers<void>();
  const wait = (key: string) => turns(key, () => gate.promise);
  const taken = [wait('a'), wait('a'), wait('a')];
  await expect(wait('a')).rejects.toThrow(TooManyTurns);
  const other = wait('b');
  gate.resolve();
  await Promise.all([...taken, other]);
  expect(await turns('a', async () => 'again')).toBe('again');
});

it('goes on after work that failed', async () => {
  const turns = createTurns(2);
  const failed = turns('a', () => Promise.reject(new Error('failed')));
  const next = turns('a', async () => 'next');
  await expect(failed).rejects.toThrow('failed');
  expect(await next).toBe('next');
});
