import { exactNumber } from '@sluice/json/numbers.ts';
import { parseJsonWith } from '@sluice/json/parse-json.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { exampleOf } from './example-of.ts';
import { formats } from './formats/formats.ts';

/** As the console reads schemas. */
const parseExact = (text: string) =>
  parseJsonWith(text, (literal) =>
    String(Number(literal)) === literal ? Number(literal) : exactNumber(literal),
  );

it('an example conforms to types, formats, constants and lists of values', () => {
  const string = (format: string) => ({ type: 'string', format });
  const properties = {
    text: { type: 'string' },
    at: string('date-time'),
    day: string('date'),
    mail: string('email'),
    link: string('uri'),
    id: string('uuid'),
    time: string('time'),
    length: string('duration'),
    host: string('hostname'),
    address: string('ipv4'),
    newAddress: string('ipv6'),
    reference: string('uri-reference'),
    pointer: string('json-pointer'),
    share: { type: 'number', minimum: 0, maximum: 1 },
    part: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    many: { type: 'integer', exclusiveMinimum: 10 },
    dozens: { type: 'integer', minimum: 13, multipleOf: 12 },
    halves: { type: 'number', minimum: -1.5, maximum: -0.5, multipleOf: 0.5 },
    count: { type: ['integer', 'null'] },
    celsius: { type: 'number' },
    ok: { type: 'boolean' },
    nothing: { type: 'null' },
    tags: { type: 'array', items: { type: 'string' } },
    sky: { type: 'string', enum: ['clear'] },
    kind: { const: 7 },
    given: { type: 'string', pattern: '^x', examples: ['xyz'] },
    warm: { type: 'number', minimum: 30 },
    cold: { type: 'integer', maximum: -4 },
    code: { type: 'string', minLength: 6, maxLength: 8 },
    either: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    pair: { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 },
    place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  };
  const schema = { type: 'object', properties, required: Object.keys(properties) };
  const ajv = new Ajv2020({ allowUnionTypes: true, formats });
  const validate = ajv.compile(schema);
  validate(exampleOf(schema));
  expect(validate.errors).toBeNull();
});

it.each([
  ['{"const":9007199254740993}', '9007199254740993'],
  ['{"enum":[9223372036854775807]}', '9223372036854775807'],
  ['{"examples":[1.50]}', '1.50'],
  ['{"type":"integer","minimum":9007199254740993}', '9007199254740993'],
  ['{"type":"number","maximum":-9007199254740993}', '-9007199254740993'],
  ['{"type":"integer","minimum":1.5}', '2'],
  ['{"type":"string","minLength":6.0,"maxLength":8.0}', '"text.."'],
  ['{"type":"array","minItems":2.0}', '["text","text"]'],
])('the example of %s is %s', (schema, example) => {
  expect(JSON.stringify(exampleOf(parseExact(schema)))).toBe(example);
});
