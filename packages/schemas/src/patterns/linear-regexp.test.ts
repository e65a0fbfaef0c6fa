import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { OutOfSteps, withSteps } from '../budget.ts';
import { buildPattern, linearRegExp } from './linear-regexp.ts';

const matches = (source: string, text: string) => linearRegExp(source).test(text);

const same: [source: string, text: string][] = [
  ['^\\d+$', '12'],
  ['^\\d+$', '१२'],
  ['\\w', 'é'],
  ['\\W', 'é'],
  ['^\\s$', '\u00a0'],
  ['^\\s$', '\ufeff'],
  ['^\\S$', '\u2029'],
  ['^[\\s]$', '\u3000'],
  ['^[\\S]$', '\u3000'],
  ['^[^\\S]$', '\u3000'],
  ['^.$', '\n'],
  ['^.$', '\u2028'],
  ['^.$', '💩'],
  ['^[^a]$', '\n'],
  ['^\\u0041$', 'A'],
  ['^\\u{1F4A9}$', '💩'],
  ['^\\uD83D\\uDCA9$', '💩'],
  ['^[\\u{1F4A8}-\\u{1F4AA}]$', '💩'],
  ['^\\x41\\cJ\\0$', 'A\n\0'],
  ['^\\p{L}+$', 'éß'],
  ['^\\p{Letter}$', 'é'],
  ['^\\p{Script=Greek}$', 'λ'],
  ['^\\p{Script=Grek}$', 'λ'],
  ['^\\p{scx=Deva}$', '\u0951'],
  ['^\\p{sc=Deva}$', '\u0951'],
  ['^\\p{ASCII}$', 'a'],
  ['^\\p{ID_Start}$', 'é'],
  ['^[\\p{Dash_Punctuation}a]$', '–'],
  ['^[^\\p{ASCII}]$', '\ud800'],
  ['^\\P{Any}$', 'a'],
  ['^[^\\P{Any}]$', 'a'],
  ['(?i:^\\p{Lu}$)', 'a'],
  ['^\\P{Lu}$', 'A'],
  ['^[\\p{Lu}\\d]$', 'Á'],
  ['(?<year>\\d{4})-(?<month>\\d\\d)', '2024-12'],
  ['^\\/\\-$', '/-'],
  ['^[\\w\\-.]+$', 'a-b.c'],
  ['^[\\]\\^\\b[:alph]+$', '[:]^'],
  ['^(?:a|b){2,3}?$', 'aba'],
  ['a$', 'a\n'],
  ['^a', '\na'],
  ['\\bfoo\\b', 'a foo b'],
  ['^[^]$', 'a'],
  ['[]', 'a'],
  ['^\\$\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\\\$', '$.*+?()[]{}|\\'],
  ['^a-z$', 'a-z'],
  ['(?i:straße)', 'STRASSE'],
  ['^[a&&b]$', '&'],
  ['\\\\Q.\\\\E', 'Q.E'],
  ['(|a)+b', 'aab'],
  ['^\\t\\n\\v\\f\\r$', '\t\n\v\f\r'],
];

describe('linearRegExp', () => {
  it.each(same)('takes %s on %j as the language does', (source, text) => {
    const native = new RegExp(source, /\\-/.test(source) ? '' : 'u');
    expect(matches(source, text)).toBe(native.test(text));
  });

  it('takes the name of a script as RE2 does', () => {
    expect(matches('^\\p{Greek}\\P{Greek}$', 'λa')).toBe(true);
  });

  it('agrees with the language on any text and any pattern of the common syntax', () => {
    const char = fc.constantFrom('a', 'b', 'A', '1', '_', '-', ' ', '\n', '\u00a0', 'é', '💩', '/', '.');
    const atom = fc.constantFrom(
      'a',
      'b',
      '1',
      '.',
      '\\d',
      '\\D',
      '\\w',
      '\\W',
      '\\s',
      '\\S',
      '[ab]',
      '[^ab]',
      '[\\d_]',
      '[^\\s]',
      'é',
      '\\u{1F4A9}',
      '\\p{L}',
      '\\b',
      '^',
      '$',
      '\\/',
    );
    const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
      pattern: fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
      part: fc.oneof(
        { maxDepth: 3 },
        atom,
        tie('pattern').map((inner) => `(${inner})`),
        fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
        fc
          .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '*?', '+?'))
          .map(([a, q]) => `(?<n>${a})${q}`.replace('?<n>', '?:')),
      ),
    }));
    fc.assert(
      fc.property(
        pattern,
        fc.array(char, { maxLength: 12 }).map((chars) => chars.join('')),
        (source, text) => {
          expect(matches(source, text)).toBe(new RegExp(source, 'u').test(text));
        },
      ),
      runs(300),
    );
  });

  it.each([30, 50_000])('takes linear steps for (a+)+$ on %i characters', (length) => {
    const text = `${'a'.repeat(length)}!`;
    expect(withSteps(10_000 + length * 10, () => linearRegExp('^(a+)+$').test(text))).toBe(false);
  });

  it('is stopped by the budget where the engine falls back to its slow ways', () => {
    const text = Array.from({ length: 50_000 }, (_, i) => ((i * i * 7) % 11 < 5 ? 'a' : 'b')).join('');
    const search = () => linearRegExp('(?:a|b)*a.{900}!').test(text);
    expect(() => withSteps(3_000_000, search)).toThrow(OutOfSteps);
  });

  it('takes few steps where the engine falls back although little is possible at a time', () => {
    const pattern = linearRegExp('^\\p{L}{1,500}$');
    const both = () => [pattern.test('é'.repeat(500)), pattern.test('é'.repeat(501))];
    expect(withSteps(100_000, both)).toEqual([true, false]);
  });

  it('is told apart by its pattern', () => {
    expect(String(linearRegExp('a'))).not.toBe(String(linearRegExp('b')));
  });

  it.each([
    ['(?:a{100}){100}', /is too large/],
    ['\\p{L}'.repeat(500), /is too large/],
    ['\\p{Nonsense}', /no property of ECMA-262/],
    ['\\p{RGI_Emoji}', /several characters at once/],
    ['\\u{110000}', /no character/],
    ['\\8', /old escape/],
    [`(?:${Array.from({ length: 60 }, (_, i) => `${i}a{100}`).join('|')})`, /too large/],
  ])('refuses %.20s', (source, message) => {
    expect(() => buildPattern(source)).toThrow(message);
  });
});
