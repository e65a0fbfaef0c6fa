import { expect, it } from 'vitest';
import { readOfKey } from './read-of-key.ts';

it('reads a page again if its key sent in a new way meanwhile', async () => {
  const numbers = [1];
  const pages: unknown[] = [];
  const page = await readOfKey(
    async () => [{ senders: [...numbers], key: 'k' }],
    async (conditions) => {
      if (pages.push(conditions) === 1) numbers.push(2);
      return pages.length;
    },
  );
  expect(pages).toEqual([[{ senders: [1], key: 'k' }], [{ senders: [1, 2], key: 'k' }]]);
  expect(page).toBe(2);
});
