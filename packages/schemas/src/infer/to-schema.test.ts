import { parseJson } from '@sluice/json/parse-json.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { formats } from '../formats/formats.ts';
import { type FieldRow, fieldRows, isAlways, isSuggested, typeChoices } from './fields.ts';
import { exactJson, noteNumbers } from './number-texts.ts';
import { survey } from './survey.ts';
import { type Choices, type InferredChoice, type JsonSchema, toSchema } from './to-schema.ts';

/** The validator of the API, with which the samples are uploaded. */
const ajv = new Ajv2020({ strict: false, ownProperties: true, formats });

function ajvTakes(schema: JsonSchema, rows: object[]): boolean {
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

/** A choice that the field offers. */
const choose = ({ pointer, field }: FieldRow, seed: number): [string, InferredChoice] => {
  const types = typeChoices(field);
  const type = types[seed % (types.length + 1)];
  const flags = { anyText: seed % 2 === 0, onlyThese: seed % 3 === 0, required: seed % 5 === 0 };
  return [pointer, { ...flags, ...(type && { type }) }];
};

it('an example and a row keep the digits of the sample', () => {
  const text = '{"id":9007199254740993,"list":[1.0,{"a":-0}],"\\u0062":1.50,"fit":2.5}';
  const row = parseJson(text, noteNumbers) as object;
  expect(exactJson(row)).toBe(text.replace('\\u0062', 'b'));
  const examples = fieldRows(survey([row])).map(({ field }) => exactJson(field.example));
  expect(examples).toEqual(['9007199254740993', '[1.0,{"a":-0}]', '1.0', '-0', '1.50', '2.5']);
});

it('an example and a row are rounded where a program has no JSON.rawJSON', () => {
  const { rawJSON } = JSON;
  onTestFinished(() => {
    JSON.rawJSON = rawJSON;
  });
  Reflect.deleteProperty(JSON, 'rawJSON');
  const row = parseJson('{"id":9007199254740993,"\\u0062":1.50}', noteNumbers) as object;
  expect(exactJson(row)).toBe('{"id":9007199254740992,"b":1.5}');
  expect(fieldRows(survey([row])).map(({ field }) => exactJson(field.example))).toEqual([
    '9007199254740992',
    '1.5',
  ]);
});

describe('an inferred schema', () => {
  it('takes every sample, whatever is chosen', () => {
    fc.assert(
      fc.property(payloads, fc.infiniteStream(fc.nat()), (rows, seeds) => {
        const choices = fieldRows(survey(rows)).map((row) => choose(row, seeds.next().value));
        expect(ajvTakes(infer(rows), rows)).toBe(true);
        expect(ajvTakes(infer(rows, Object.fromEntries(choices)), rows)).toBe(true);
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

  it('refuses a sample without a field that always has a value, unless that is not required', () => {
    fc.assert(
      fc.property(payloads, (rows) => {
        const fields = fieldRows(survey(rows))
          .filter(({ depth }) => depth === 0)
          .slice(0, 2);
        for (const { name, pointer, field, parent } of fields) {
          // Ajv itself takes an object without a required "".
          if (name === '' || !isAlways(field, parent)) continue;
          const { [name as string]: _, ...without } = rows[0] as Record<string, unknown>;
          expect(ajvTakes(infer(rows), [without])).toBe(!isSuggested(field, parent));
          expect(ajvTakes(infer(rows, { [pointer]: { required: false } }), [without])).toBe(true);
          expect(ajvTakes(infer(rows, { [pointer]: { required: true } }), [without])).toBe(false);
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

describe('null', () => {
  it('is text that may be missing, until another sample or a choice says otherwise', () => {
    const rows = [{ note: null, n: 1 }];
    const note = { type: ['string', 'null'] };
    expect(infer(rows)).toEqual({
      type: 'object',
      required: ['n'],
      properties: { note, n: { type: 'integer' } },
    });
    const choices = { '/note': { type: 'number', required: true } } as const;
    expect(infer(rows, choices)).toMatchObject({
      required: ['note', 'n'],
      properties: { note: { type: ['number', 'null'] } },
    });
    expect(infer([...rows, { note: true, n: 2 }])).toMatchObject({
      required: ['n'],
      properties: { note: { type: ['boolean', 'null'] } },
    });
  });
});

describe('a whole number', () => {
  const typeIn = (...texts: string[]) =>
    infer(texts.map((text) => parseJson(text, noteNumbers) as object)).properties;
  it.each([
    ['among decimals', ['{"a":1}', '{"a":1.5}'], { type: 'number' }],
    ['among decimals of an array', ['{"a":[1,2.5]}'], { type: 'array', items: { type: 'number' } }],
    ['written as a decimal', ['{"a":12.0}'], { type: 'number' }],
    ['alone', ['{"a":12}', '{"a":-0}'], { type: 'integer' }],
  ])('%s', (_where, texts, a) => {
    expect(typeIn(...texts)).toEqual({ a });
  });
});
