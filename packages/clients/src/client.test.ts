import { describe, expect, it } from 'vitest';
import { languages, makeClient, makeTypes } from './client.ts';

const wanted = (schema: object) => ({
  domain: 'weather-k3v9q2',
  rawSchema: JSON.stringify({ type: 'object', ...schema }),
  version: 3,
});

/** The lines of the types, without the head. */
const typesOf = (schema: object) =>
  makeTypes({ language: 'typescript', ...wanted(schema) }).replace(/^(\/\/.*\n)+\n/, '');

const property = (schema: unknown, more: object = {}) =>
  /x\?: (.*);/.exec(typesOf({ properties: { x: schema }, ...more }))?.[1];

describe('a property', () => {
  it.each<[string, unknown, string]>([
    ['is a time', { type: 'string', format: 'date-time' }, 'Date | string'],
    [
      'is a list of times',
      { type: 'array', items: { type: 'string', format: 'date-time' } },
      '(Date | string)[]',
    ],
    ['is a day', { type: 'string', format: 'date' }, 'string'],
    ['is an integer', { type: 'integer', maximum: 2 ** 53 - 1 }, 'number'],
    ['is a large integer', { type: 'integer', maximum: 2 ** 53 }, 'number | bigint'],
    [
      'is a large integer or text',
      { type: ['integer', 'string'], minimum: -(2 ** 60) },
      'number | bigint | string',
    ],
    ['is an integer of 64 bits', { type: 'integer', format: 'int64' }, 'number | bigint'],
    ['may be null', { type: ['string', 'null'] }, 'string | null'],
    ['is a union', { type: ['integer', 'string'] }, 'number | string'],
    ['is a number that may be an integer', { type: ['integer', 'number'] }, 'number'],
    ['is a choice', { enum: ['a', 'b'] }, 'X'],
    ['is a choice of several kinds', { enum: ['a', 1] }, 'string | number'],
    ['is anything', true, 'unknown'],
    ['is a list', { type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
    ['is a tuple', { type: 'array', prefixItems: [{ type: 'string' }], items: false }, 'string[]'],
    ['is a map', { type: 'object', additionalProperties: { type: 'number' } }, '{ [name: string]: number }'],
    ['is what all schemas say', { allOf: [{ type: ['string', 'null'] }, { type: 'string' }] }, 'string'],
    ['is an object or a string', { type: ['object', 'string'] }, 'unknown'],
  ])('%s', (_what, schema, type) => {
    expect(property(schema)).toBe(type);
  });

  it('that cannot be is left out', () => {
    expect(typesOf({ properties: { x: false } })).toBe('export interface Entry {\n}\n');
  });

  it('is required if each variant requires it', () => {
    const variant = (own: string) => ({
      properties: { kind: { const: own }, [own]: {} },
      required: ['kind', own],
    });
    expect(typesOf({ oneOf: [variant('a'), variant('b')], additionalProperties: false })).toBe(
      'export interface Entry {\n  kind: Kind;\n  a?: unknown;\n  b?: unknown;\n}\n\nexport type Kind = "a" | "b";\n',
    );
  });
});

it('hides what stands beside a reference up to draft 07, and not later', () => {
  const schema = (draft: string) => ({
    $schema: draft,
    definitions: { text: { type: ['string', 'null'] } },
  });
  const reference = { $ref: '#/definitions/text', type: 'string' };
  expect(property(reference, schema('http://json-schema.org/draft-07/schema'))).toBe('string | null');
  expect(property(reference, schema('https://json-schema.org/draft/2020-12/schema'))).toBe('string');
});

it('has one type for all references to a definition, under its name', () => {
  const $ref = '#/$defs/postal_address';
  const text = typesOf({
    properties: { home: { $ref, description: 'Here' }, work: { $ref } },
    $defs: { postal_address: { type: 'object', properties: { city: { type: 'string' } } } },
  });
  expect(text).toContain('  /** Here */\n  home?: PostalAddress;\n  work?: PostalAddress;');
});

it('says in the head what has no type', () => {
  const text = makeTypes({
    language: 'go',
    ...wanted({ properties: { x: { type: ['object', 'string'] } } }),
  });
  expect(text).toContain('// Not typed:\n//     /x: any JSON, one of object, string\n');
});

describe.each(languages)('a client in %s', (language) => {
  it('is the same for the same schema, and names its version', () => {
    const client = () => makeClient({ language, ...wanted({ properties: { x: { type: 'string' } } }) });
    expect(client()).toBe(client());
    expect(client()).toMatch(/application weather-k3v9q2, schema version 3, hash [0-9a-f]{16}\.\n/);
    expect(client()).toMatch(/SCHEMA_?VERSION[^=]*= \D*3\b/i);
  });

  it('has no text of the schema outside of comments and strings', () => {
    const evil = 'x"*/\n\r\u2028\\u000a;EVIL;';
    const text = makeClient({
      language,
      ...wanted({
        description: evil,
        properties: { [evil]: { enum: [evil, 'b'], title: evil }, o: { type: ['object', 'string'] } },
      }),
    });
    const bare = text
      .split('\n')
      .filter((line) => !/^\s*(\/\/|#|\/\*\*.*\*\/$)/.test(line))
      .map((line) => line.replace(/"(?:[^"\\]|\\.)*"/g, ''));
    expect(bare.filter((line) => line.includes(';EVIL'))).toEqual([]);
  });
});
