import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import * as edits from './edits.ts';
import { type FormShape, nodeAt, type Path, rootOf, shapeOf, typeNames } from './shape.ts';

type Json = Record<string, unknown>;

const name = fc.oneof(fc.constantFrom('a', 'b', 'a/b', '"', 'required', 'constructor'), fc.string());
const names = name.filter((each) => each !== '__proto__');
const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.record(
    {
      type: fc.oneof(fc.constantFrom(...typeNames), fc.constant(['string', 'null']), fc.constant(7)),
      format: fc.constantFrom('date', 'own'),
      enum: fc.uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { maxLength: 3 }),
      minimum: fc.integer(),
      oneOf: fc.array(fc.jsonValue(), { maxLength: 2 }),
      $ref: fc.constant('#/$defs/x'),
      properties: fc.dictionary(names, fc.oneof({ depthSize: 'small' }, fc.constant({}), tie('schema')), {
        noNullPrototype: true,
        maxKeys: 3,
      }),
      required: fc.uniqueArray(names, { maxLength: 2 }),
      items: fc.oneof({ depthSize: 'small' }, fc.constant(true), tie('schema')),
    },
    { requiredKeys: [], noNullPrototype: true },
  ),
}));

/** The paths of all object schemas that the form shows. */
function pathsIn(text: string, path: Path = []): Path[] {
  const node = nodeAt(rootOf(text) as never, path);
  const shape = node && shapeOf(node, text);
  if (!shape) return [];
  const below = shape.properties.flatMap((each) => pathsIn(text, [...path, 'properties', each.name]));
  return [path, ...below, ...(shape.items ? pathsIn(text, [...path, 'items']) : [])];
}

interface Edit {
  apply: (text: string, path: Path, name: string, shape: FormShape) => string;
  /** What may change, below the path. */
  touches: (name: string) => Path[];
}

const kinds: Record<string, Edit> = {
  type: { apply: (text, path) => edits.setType(text, path, 'string', true), touches: () => [['type']] },
  format: { apply: (text, path) => edits.setText(text, path, 'format', 'uuid'), touches: () => [['format']] },
  noFormat: { apply: (text, path) => edits.setText(text, path, 'format', ''), touches: () => [['format']] },
  limit: {
    apply: (text, path) => edits.setLimit(text, path, 'minimum', '1.50'),
    touches: () => [['minimum']],
  },
  noLimit: { apply: (text, path) => edits.setLimit(text, path, 'minimum', ''), touches: () => [['minimum']] },
  values: {
    apply: (text, path, _, shape) =>
      shape.others.includes('enum') ? text : edits.setValues(text, path, shape, ['x', '1']),
    touches: () => [['enum']],
  },
  required: {
    apply: (text, path, name, { others }) =>
      others.includes('required') ? text : edits.setRequired(text, path, name, true),
    touches: () => [['required']],
  },
  optional: {
    apply: (text, path, name) => edits.setRequired(text, path, name, false),
    touches: () => [['required']],
  },
  add: {
    apply: (text, path, name) => edits.addField(text, path, name),
    touches: (name) => [['properties', name]],
  },
  remove: {
    apply: (text, path, name) => edits.removeField(text, path, name),
    touches: (name) => [['properties', name], ['required']],
  },
  rename: {
    apply: (text, path, name) => edits.renameField(text, path, name, `${name}!`),
    touches: (name) => [['properties', name], ['properties', `${name}!`], ['required']],
  },
};

/** The JSON without what is at the paths, and without `properties` that are then empty. */
function without(text: string, paths: Path[]): string {
  const value = JSON.parse(text);
  for (const path of paths) {
    const holder = path.slice(0, -1).reduce((each: Json | undefined, key) => each?.[key] as Json, value);
    if (holder) delete holder[path.at(-1) as string];
  }
  return JSON.stringify(value)
    .replaceAll('"properties":{},', '')
    .replaceAll(/,?"properties":\{\}/g, '');
}

describe('an edit in the form', () => {
  it.each(Object.entries(kinds))('%s keeps all else of any schema', (_kind, { apply, touches }) => {
    fc.assert(
      fc.property(schema, names, fc.nat(), fc.constantFrom(0, 2), (given, fresh, at, indent) => {
        const text = JSON.stringify(given, null, indent);
        const paths = pathsIn(text);
        const path = paths[at % paths.length] as Path;
        const shape = shapeOf(nodeAt(rootOf(text) as never, path) as never, text) as FormShape;
        const name = shape.properties[at % (shape.properties.length + 1)]?.name ?? fresh;
        const after = apply(text, path, name, shape);
        const touched = touches(name).map((each) => [...path, ...each]);
        expect(without(after, touched)).toBe(without(text, touched));
      }),
      runs(),
    );
  });

  const written =
    '{\n  "properties": {\n    "a": { "type": "number", "maximum": 9223372036854775807 }\n  }\n}';
  const a = ['properties', 'a'];
  it.each([
    [
      'a limit',
      edits.setLimit(written, a, 'minimum', '9007199254740993'),
      ' "maximum": 9223372036854775807, "minimum": 9007199254740993 }',
    ],
    ['a required field', edits.setRequired(written, [], 'a', true), '  },\n  "required": ["a"]\n}'],
    [
      'a new name',
      edits.renameField(written, [], 'a', 'b"'),
      '"b\\"": { "type": "number", "maximum": 9223372036854775807 }',
    ],
    [
      'a new field',
      edits.addField(written, [], 'b'),
      '807 },\n    "b": {\n      "type": "string"\n    }\n  }\n}',
    ],
  ])('writes %s in the style of the text', (_what, text, part) => {
    expect(text).toContain(part);
  });

  it.each([
    ['string', false, ['x', 'null', '1'], ['x', 'null', '1']],
    ['string', true, ['x', 'null', '"null"'], ['x', null, 'null']],
    ['number', false, ['1', '1e2', '"1"'], [1, 100, '1']],
    ['', false, ['x', 'true', '{}'], ['x', true, '{}']],
  ])('takes typed values of %s (or null: %s)', (type, isNullable, labels, values) => {
    const text = edits.setType('{}', [], type, isNullable);
    const shape = shapeOf(rootOf(text) as never, text) as FormShape;
    expect(JSON.parse(edits.setValues(text, [], shape, labels)).enum).toEqual(values);
  });
});

describe('what the form cannot show', () => {
  it.each([
    ['{"oneOf":[{}],"type":"object"}', ['oneOf']],
    ['{"type":["string","number"],"items":[{}],"required":true}', ['items', 'required']],
    ['{"type":{},"enum":[{}],"minimum":"1","$ref":"#"}', ['type', 'enum', 'minimum', '$ref']],
    ['{"title":"t","description":"d"}', []],
  ])('of %s is named', (text, others) => {
    expect(shapeOf(rootOf(text) as never, text)?.others).toEqual(others);
  });

  it.each(['[]', '{', '{} x', '{"a":1,}', '{/**/}', `${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}`])(
    'there is no form of %.20s',
    (text) => {
      expect(rootOf(text)).toBeUndefined();
    },
  );
});
