import { isUsername } from '@sluice/store/accounts/credentials.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { namesLike } from './free-names.ts';

const firstNames = (name: string | undefined, count: number) => [...namesLike(name).take(count)];

it('makes usernames of any name', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme-composite', maxLength: 300 }),
    fc.constant(undefined),
  );
  fc.assert(
    fc.property(name, (given) => {
      const names = firstNames(given, 12);
      expect(names.filter((each) => !isUsername(each))).toEqual([]);
      expect(new Set(names).size).toBe(12);
    }),
  );
});

it('keeps a name that is one, and counts on from it', () => {
  expect(firstNames('ada.l-1_x@example.com', 3)).toEqual(['ada.l-1_x', 'ada.l-1_x-2', 'ada.l-1_x-3']);
  const long = 'x'.repeat(25);
  expect(firstNames(long, 2)).toEqual(['x'.repeat(20), `${'x'.repeat(18)}-2`]);
});
