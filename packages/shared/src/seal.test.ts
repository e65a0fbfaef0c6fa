import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seal, unseal } from './seal.ts';

it('gives back what the first secret sealed, also once it is the second', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const sealed = seal(['one', 'other'], text);
      expect(unseal(['new', 'one'], sealed)).toBe(text);
      expect(() => unseal(['new', 'other'], sealed)).toThrow('SECRETS_KEY');
    }),
    { numRuns: 50 },
  );
});

it('refuses what was changed, and seals the same text differently each time', () => {
  const sealed = seal(['one'], 'secret');
  const [name, content = ''] = sealed.split('.');
  const bytes = Buffer.from(content, 'base64url');
  bytes[14] = (bytes[14] ?? 0) ^ 1;
  expect(() => unseal(['one'], `${name}.${bytes.toString('base64url')}`)).toThrow();
  expect(seal(['one'], 'secret')).not.toBe(sealed);
});
