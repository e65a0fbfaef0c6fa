import { expect, it } from 'vitest';
import { readSchema } from '../schema/read-schema.ts';
import { sampleOf } from './sample.ts';

const sampleFor = (schema: string) => sampleOf(readSchema(`{"type":"object",${schema}}`).entry);
const required = (schema: string) => sampleFor(`"properties":{"x":${schema}},"required":["x"]`).x;

it.each<[string, unknown]>([
  ['{"type":"string"}', 'text'],
  ['{"type":"string","format":"date-time"}', '2026-11-23T09:00:00Z'],
  ['{"type":"string","examples":[7,"Oslo"]}', 'Oslo'],
  ['{"enum":[null,"clear","cloudy"]}', 'clear'],
  ['{"enum":[null,3]}', 3],
  ['{"type":"integer","minimum":9007199254740993}', 9007199254740993n],
  ['{"allOf":[{"type":"number"},{"maximum":-4}]}', -4],
  ['{"type":["integer","boolean"]}', 1],
  ['{"oneOf":[{"type":"array"},{"type":"object"}]}', []],
  ['{"type":"array","items":{"type":"number"},"minItems":2}', [21.5, 21.5]],
  ['{"type":"object","additionalProperties":{"type":"string"}}', {}],
  [
    '{"type":"object","properties":{"city":{"type":"string"},"zip":{"type":"string"}},"required":["city"]}',
    { city: 'text' },
  ],
  ['true', 'text'],
])('the sample of %s is as its type', (schema, sample) => {
  expect(required(schema)).toEqual(sample);
});

it('has the first fields if none is required', () => {
  const properties = ['a', 'b', 'c', 'd'].map((key) => `"${key}":{"type":"boolean"}`);
  expect(sampleFor(`"properties":{${properties}}`)).toEqual({ a: true, b: true, c: true });
});

it.each([
  ['without an end', '"properties":{"next":{"$ref":"#"}},"required":["next"]'],
  ['of a long text', '"properties":{"x":{"type":"string","minLength":100000}},"required":["x"]'],
  [
    'of lists in lists',
    `"properties":{"x":${'{"type":"array","minItems":9,"items":'.repeat(30)}true${'}'.repeat(30)}},"required":["x"]`,
  ],
])('is empty where it would be %s', (_what, schema) => {
  expect(sampleFor(schema)).toEqual({});
});
