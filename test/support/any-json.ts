import fc from 'fast-check';
import { anyCharacter } from './any-character.ts';

const specialKeys = [
  '__proto__',
  '_bsontype',
  '$ref',
  '$id',
  '$db',
  'toJSON',
  'constructor',
  '',
  '0',
  '1',
  '4294967295',
  'a',
];
const halves = fc.constantFrom('\ud800', '\udfff', '\0', '"', '\\', ':');
const text = fc.string({
  unit: fc.oneof({ weight: 20, arbitrary: fc.string({ unit: anyCharacter, maxLength: 2 }) }, halves),
});

/** A string as JSON, each UTF-16 unit escaped at random, and always where UTF-8 could not carry it. */
const quoted = (strings: fc.Arbitrary<string>) =>
  fc.tuple(strings, fc.infiniteStream(fc.integer({ min: 0, max: 9 }))).map(([string, dice]) => {
    const plain = string.isWellFormed();
    const units = string.split('').map((unit) => {
      const code = unit.charCodeAt(0);
      const must = (!plain && code >= 0x80) || code < 0x20 || unit === '"' || unit === '\\';
      const may = code < 0xd800 || code > 0xdfff;
      return must || (may && dice.next().value === 0) ? `\\u${code.toString(16).padStart(4, '0')}` : unit;
    });
    return `"${units.join('')}"`;
  });

const digits = fc.stringMatching(/^(0|[1-9]\d{0,25})(\.\d{1,25})?([eE][+-]?\d{1,3})?$/);
const double = fc.double({ noNaN: true, noDefaultInfinity: true });
const number = fc.oneof(
  digits,
  fc.maxSafeInteger().map(String),
  double.map((n) => JSON.stringify(n)),
  fc.tuple(double, fc.integer({ min: 12, max: 20 })).map(([n, places]) => n.toExponential(places)),
  fc
    .tuple(double, fc.integer({ min: 1, max: 3 }))
    .map(([n, more]) => String(n).replace(/^(-?\d+\.\d+)/, `$1${'0'.repeat(more)}`)),
);
const key = quoted(
  fc.oneof({ weight: 6, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom(...specialKeys) }),
);
const gap = fc.constantFrom('', '', ' ', '\n\t');
/** JSON text of any value, with spaces, escapes and names that are hostile to a store. */
export const { json: anyJson } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(
      number,
      quoted(text),
      quoted(fc.constantFrom('a.b', '.')),
      fc.constantFrom('true', 'false', 'null'),
    ),
    fc
      .tuple(fc.array(tie('json')), gap)
      .map(([items, space]) => `[${space}${items.join(`${space},`)}${space}]`),
    fc
      .tuple(fc.array(fc.tuple(key, tie('json'))), gap)
      .map(
        ([members, space]) => `{${members.map(([k, v]) => `${space}${k}${space}:${v}`).join(',')}${space}}`,
      ),
  ),
}));
