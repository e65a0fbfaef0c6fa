import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { comment, literal } from './texts.ts';

const nasty = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.stringMatching(/^[\\*/"'`u0a\r\n\u2028\u202e#${}]*$/),
);

it('keeps a comment on its line, whatever the text', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      expect(comment(text)).not.toMatch(/\*\/|[\\\p{C}\u2028\u2029]/u);
    }),
  );
});

it.each(Object.entries(literal))('keeps a string of %s in its quotes', (_language, quote) => {
  fc.assert(
    fc.property(nasty, (text) => {
      expect(quote(text)).toMatch(
        /^"(?:[ !#-[\]-~]|\\(?:["\\nr]|u[0-9a-f]{4}|u\{[0-9a-f]+\}|U[0-9a-f]{8}))*"$/,
      );
    }),
  );
});

it('writes strings that TypeScript and Java read as they were', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      expect(JSON.parse(literal.typescript(text))).toBe(text);
      expect(JSON.parse(literal.java(text))).toBe(text);
    }),
  );
});
