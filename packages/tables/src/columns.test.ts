import { maxColumns, schemaFields } from '@sluice/schemas/fields/schema-fields.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { columnsOf, widthOf } from './columns.ts';

describe('the fields of a schema', () => {
  it.each<[string, object, string[]]>([
    ['nothing', {}, []],
    ['properties in their order', { properties: { b: {}, a: {} } }, ['/b', '/a']],
    [
      'nested objects',
      { properties: { a: { type: 'object', properties: { b: {}, c: {} } } } },
      ['/a/b', '/a/c'],
    ],
    ['an object that says nothing of its properties', { properties: { a: { type: 'object' } } }, ['/a']],
    ['arrays as they are', { properties: { a: { items: { properties: { b: {} } } } } }, ['/a']],
    [
      'local references',
      { properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: { properties: { y: {} } } } },
      ['/a/y'],
    ],
    [
      'references with escapes',
      { properties: { a: { $ref: '#/$defs/x~1y%20z' } }, $defs: { 'x/y z': { properties: { b: {} } } } },
      ['/a/b'],
    ],
    ['allOf', { allOf: [{ properties: { b: {} } }], properties: { a: {} } }, ['/a', '/b']],
    ['a property that contains itself', { properties: { a: {}, tree: { $ref: '#' } } }, ['/a']],
    ['boolean schemas', { properties: { a: true, b: false } }, ['/a', '/b']],
    ['keys with slashes and tildes', { properties: { 'a/b': {}, 'c~d': {} } }, ['/a~1b', '/c~0d']],
    ['references that lead nowhere', { properties: { a: { $ref: '#/nowhere' } } }, ['/a']],
  ])('%s', (_what, schema, fields) => {
    expect(schemaFields(schema as Record<string, unknown>)).toEqual(fields);
  });

  describe('with properties beside a reference', () => {
    const x = { properties: { c: {} }, within: { properties: { d: {} } } };
    const schema = {
      properties: {
        a: { $ref: '#/definitions/x', properties: { b: {} }, allOf: [{ properties: { e: {} } }] },
        through: { $ref: '#/definitions/y/definitions/z' },
        $ref: { properties: { b: {} } },
      },
      definitions: { x, y: { $ref: '#', definitions: { z: { $ref: '#/definitions/x/within' } } } },
    };
    const alone = ['/a/c', '/through/d', '/$ref/b'];
    const together = ['/a/b', '/a/c', '/a/e', '/through/d', '/$ref/b'];

    it.each([
      ['http://json-schema.org/draft-04/schema#', alone],
      ['http://json-schema.org/draft-06/schema#', alone],
      ['http://json-schema.org/draft-07/schema#', alone],
      ['https://json-schema.org/draft/2019-09/schema', together],
      ['https://json-schema.org/draft/2020-12/schema', together],
      [undefined, together],
    ])('have those that count by %s', ($schema, fields) => {
      expect(schemaFields({ $schema, ...schema })).toEqual(fields);
    });

    it('leave out what contains itself, and end where references do', () => {
      const properties = {
        a: {},
        tree: { $ref: '#', properties: { b: {} } },
        round: { $ref: '#/definitions/x', properties: { b: {} } },
      };
      const definitions = { x: { $ref: '#/definitions/y' }, y: { $ref: '#/definitions/x' } };
      const $schema = 'http://json-schema.org/draft-07/schema#';
      expect(schemaFields({ $schema, properties, definitions })).toEqual(['/a']);
    });
  });

  it('end at a bound where references double', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `d${i}`,
        { properties: { a: { $ref: `#/$defs/d${i + 1}` }, b: { $ref: `#/$defs/d${i + 1}` } } },
      ]),
    );
    expect(schemaFields({ $ref: '#/$defs/d0', $defs }).length).toBeLessThanOrEqual(maxColumns + 1);
  });
});

describe('columns', () => {
  const key = fc.oneof(
    fc.constantFrom('a', 'b', 'a.b', '/a', '/a.b', "'a", 'a/b', 'createdAt', '', '.'),
    fc.string(),
  );
  const pointer = fc
    .array(key, { minLength: 1, maxLength: 3 })
    .map((path) => path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''));

  it('are named by the pointer where the keys with dots could be something else', () => {
    const names = columnsOf({ properties: { 'a.b': {}, createdAt: {} } }, [
      ...['/a/b', '/x', '/', '/a.', "/'", '/\ufeffx', '/~1y', '/y~1', '/id'],
    ]).map(({ name }) => name);
    expect(names).toEqual([
      ...['createdAt', '/a.b', '/createdAt', 'a.b', 'x', '/', '/a.', "/'", '/\ufeffx', '/~1y', 'y/', 'id'],
    ]);
  });

  it('have the same names whatever other fields there are', () => {
    fc.assert(
      fc.property(fc.uniqueArray(pointer, { maxLength: 20 }), (pointers) => {
        const together = columnsOf({}, pointers).slice(1);
        const alone = pointers.map((each) => columnsOf({}, [each])[1]);
        expect(together).toEqual(alone);
      }),
      runs(),
    );
  });

  it('leave the names of other columns to these in an archive, in any case', () => {
    const inLake = columnsOf({}, ['/date', '/Date', '/createdat', '/a/date'], { inLake: true });
    expect(inLake.map(({ name }) => name)).toEqual(['createdAt', '/date', '/Date', '/createdat', 'a.date']);
  });

  it('have one for the rest behind them, whatever they are called', () => {
    const schema = { properties: { _extra: {}, a: { properties: { b: {} } }, createdAt: {} } };
    expect(columnsOf(schema, ['/x'], { hasRest: true })).toEqual([
      { name: 'createdAt' },
      { name: '_extra', pointer: '/_extra' },
      { name: 'a.b', pointer: '/a/b' },
      { name: '/createdAt', pointer: '/createdAt' },
      { name: 'x', pointer: '/x' },
      { name: '_extra_', isRest: true },
    ]);
  });

  it('have names of their own, and each field one column, whatever the keys', () => {
    fc.assert(
      fc.property(fc.uniqueArray(pointer, { maxLength: 20 }), (pointers) => {
        const columns = columnsOf({}, pointers);
        expect(new Set(columns.map(({ name }) => name)).size).toBe(pointers.length + 1);
        expect(columns.slice(1).map((column) => column.pointer)).toEqual(pointers);
      }),
      runs(),
    );
  });
});

describe('the width of an export', () => {
  const named = (count: number) => Array.from({ length: count }, (_, i) => `/k${i}`);
  const schemaOf = (count: number) => ({
    properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`s${i}`, {}])),
  });

  it.each([
    ['few of each', 2, 3, false, 3, false],
    ['as many as there may be', 2, 4_997, false, 4_997, false],
    ['one more', 2, 4_998, false, 4_997, true],
    ['some that are not on record', 2, 3, true, 3, true],
    ['all that can be on record', 10, 5_000, true, 4_989, true],
    ['a schema that takes all', 4_999, 7, false, 0, true],
    ['a schema that takes more', 6_000, 0, false, 0, true],
  ])('has %s', (_what, declared, recorded, overflow, leafCount, hasRest) => {
    const schema = schemaOf(declared);
    const pointers = named(recorded);
    expect(widthOf(schema, { pointers, overflow })).toEqual({ leafCount, hasRest });
    const columns = columnsOf(schema, pointers.slice(0, leafCount), { hasRest });
    expect(columns.filter(({ isRest }) => !isRest)).toHaveLength(
      Math.min(1 + Math.min(declared, 4_999) + leafCount, maxColumns),
    );
    expect(columns.slice(1, 2)).toEqual([{ name: 's0', pointer: '/s0' }]);
  });

  it('counts a field once that is on record and in the schema', () => {
    const pointers = ['/s0', ...named(4_998), '/s1'];
    expect(widthOf(schemaOf(1), { pointers, overflow: false })).toEqual({ leafCount: 4_999, hasRest: true });
    expect(widthOf(schemaOf(1), { pointers: pointers.slice(0, -1), overflow: false })).toEqual({
      leafCount: 4_999,
      hasRest: false,
    });
  });
});
