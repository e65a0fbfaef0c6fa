import fc from 'fast-check';
import { BSON } from 'mongodb';
import { expect, it } from 'vitest';
import { canonical } from './oracle.testing.ts';
import { readPayload } from './read-payload.ts';

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
  unit: fc.oneof({ weight: 20, arbitrary: fc.string({ unit: 'binary', maxLength: 2 }) }, halves),
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
const { json } = fc.letrec<{ json: string }>((tie) => ({
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

const deep = fc
  .tuple(json, fc.oneof(fc.constant(0), fc.integer({ min: 55, max: 70 })))
  .map(([inner, levels]) => '[{"in":'.repeat(levels / 2) + inner + '}]'.repeat(levels / 2));

const stored = (payload: unknown) => JSON.stringify(BSON.deserialize(BSON.serialize({ payload })).payload);

function survives(body: string): boolean {
  try {
    return canonical(stored(JSON.parse(body))) === canonical(body);
  } catch {
    return false;
  }
}

// Refused as a precaution, whether or not this very value would survive.
const precautions = ['reservedKey', 'reference', 'maxNesting'];

it('keeps a payload exactly or refuses it, and refuses only what would change', () => {
  fc.assert(
    fc.property(deep, (body) => {
      const reading = readPayload(Buffer.from(body));
      if (reading.ok) expect(canonical(stored(reading.payload))).toBe(canonical(body));
      else if (reading.kind === 'malformed') expect(reading.message).toContain('__proto__');
      else if (!reading.issues.some(({ keyword }) => precautions.includes(keyword)))
        expect(survives(body)).toBe(false);
    }),
    { numRuns: 1_500 },
  );
});

it.each([
  { $ref: 'a', $id: 1 },
  { $ref: 'x', $id: { a: 1 }, $db: 'y', extra: [1] },
  { $ref: 'x', $id: null },
  { $ref: 'x', $id: { $ref: 'y', $id: [{ $ref: 'z', $id: false, $db: '' }] } },
  { $ref: 'a.b.c', $id: 1, fields: 1, oid: 2, collection: 3, toJSON: 4 },
])('keeps the reference-like object %j', (payload) => {
  const body = JSON.stringify({ payload, list: [payload] });
  expect(readPayload(Buffer.from(body)).ok).toBe(true);
  expect(survives(body)).toBe(true);
});
