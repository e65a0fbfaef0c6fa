import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { checkRows } from './check-rows.ts';
import { type Choice, type Choices, fieldRows, type JsonSchema, toSchema } from './fields.ts';
import { survey } from './survey.ts';

/** The validator of the API, with which the samples are uploaded. */
function ajvTakes(schema: JsonSchema, rows: object[]): boolean {
  const ajv = new Ajv2020({ strict: false, ownProperties: true });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return rows.every((row) => validate(row));
}

const infer = (rows: object[], choices: Choices = {}) => toSchema(survey(rows), choices);

const text = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '2026-11-23',
    '2026-11-23T09:00:00Z',
    'ada@example.com',
    'https://example.com/a?b=c',
    'red',
  ),
  fc.uuid(),
);
const leaf = fc.oneof(text, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());
const key = fc.oneof(fc.constantFrom('a', 'b', 'a/b', '~', '', 'constructor', 'toString'), fc.string());
const { object: payload } = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(
    key.filter((each) => each !== '__proto__'),
    tie('value'),
    { noNullPrototype: true, maxKeys: 4 },
  ),
}));
const payloads = fc.array(payload, { minLength: 1, maxLength: 5 });

const anyChoice: fc.Arbitrary<Choice> = fc.record(
  { optional: fc.boolean(), fractions: fc.boolean(), anyText: fc.boolean(), onlyThese: fc.boolean() },
  { requiredKeys: [] },
);

const numbered = (values: object[]) => values.map((value, at) => ({ row: at + 1, value }));

describe('an inferred schema', () => {
  it('takes every sample, whatever is chosen, for the API and for the page', () => {
    fc.assert(
      fc.property(payloads, fc.infiniteStream(anyChoice), (rows, stream) => {
        const choices = Object.fromEntries(
          fieldRows(survey(rows)).map(({ pointer }) => [pointer, stream.next().value]),
        );
        const schema = infer(rows, choices);
        expect(ajvTakes(schema, rows)).toBe(true);
        expect(checkRows(schema, numbered(rows))).toEqual([]);
      }),
      runs(),
    );
  });

  it('does not depend on the order of the samples', () => {
    fc.assert(
      fc.property(payloads, (rows) => {
        const choices: Choices = {};
        const sorted = (schema: JsonSchema) =>
          JSON.stringify(schema, (_key, value) => {
            if (Array.isArray(value)) return value.toSorted();
            if (typeof value !== 'object' || value === null) return value;
            return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
          });
        expect(sorted(infer(rows.toReversed(), choices))).toBe(sorted(infer(rows, choices)));
      }),
      runs(),
    );
  });

  it('refuses a sample without a field that all have, unless that is optional', () => {
    fc.assert(
      fc.property(payloads, (rows) => {
        const always = fieldRows(survey(rows)).filter(({ isAlways, depth }) => isAlways && depth === 0);
        for (const { name, pointer } of always) {
          const { [name as string]: _, ...without } = rows[0] as Record<string, unknown>;
          expect(checkRows(infer(rows), numbered([without]))).not.toEqual([]);
          expect(ajvTakes(infer(rows, { [pointer]: { optional: true } }), [without])).toBe(true);
        }
      }),
      runs(),
    );
  });

  it('names types, formats, and what is required', () => {
    const rows = [
      {
        place: 'Oslo',
        celsius: -3.5,
        at: '2026-11-23T09:00:00Z',
        day: '2026-11-23',
        tags: ['a'],
        by: { mail: 'a@b.no' },
      },
      {
        place: 'Rome',
        celsius: 12,
        at: '2026-11-23T10:00:00+01:00',
        day: '2026-11-24',
        tags: [],
        n: 1,
        by: { mail: null },
      },
    ];
    expect(infer(rows)).toEqual({
      type: 'object',
      properties: {
        place: { type: 'string' },
        celsius: { type: 'number' },
        at: { type: 'string', format: 'date-time' },
        day: { type: 'string', format: 'date' },
        tags: { type: 'array', items: { type: 'string' } },
        by: {
          type: 'object',
          properties: { mail: { type: ['string', 'null'], format: 'email' } },
          required: ['mail'],
        },
        n: { type: 'integer' },
      },
      required: ['place', 'celsius', 'at', 'day', 'tags', 'by'],
    });
  });

  it('lists the values where that is chosen and there are few', () => {
    const rows = [{ color: 'red' }, { color: 'blue' }, { color: 'red' }];
    const choices = { '/color': { onlyThese: true } };
    expect(infer(rows, choices).properties).toEqual({ color: { type: 'string', enum: ['red', 'blue'] } });
    const many = Array.from({ length: 20 }, (_, i) => ({ color: `c${i % 10}` }));
    expect(infer(many, choices).properties).toEqual({ color: { type: 'string' } });
  });
});

it('the check of rows says which row, where and what', () => {
  const schema = infer([{ celsius: 1.5, by: { name: 'ada' } }]);
  const faults = checkRows(schema, [
    { row: 2, value: { celsius: 1, by: { name: 'a' } } },
    { row: 7, value: { celsius: 'warm', by: {} } },
  ]);
  expect(faults.map(({ row, path }) => ({ row, path }))).toEqual([
    { row: 7, path: '/celsius' },
    { row: 7, path: '/by' },
  ]);
});
