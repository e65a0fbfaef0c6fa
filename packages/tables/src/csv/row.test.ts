import { describe, expect, it } from 'vitest';
import { readRecord } from './record.ts';
import { createRowJson } from './row.ts';

const text = { type: 'string' };
const number = { type: 'number' };

/** What a row makes of a cell under the column `a`, beside another one. */
function cell(
  schema: unknown,
  written: string,
  required: string[] = [],
  formulas: 'escape' | 'raw' = 'escape',
) {
  const record = readRecord(`${written},x`);
  if (!record.ok) throw new Error(record.message);
  const toJson = createRowJson({ properties: { a: schema }, required }, ['/a', '/b'], formulas);
  const payload = JSON.parse(toJson(record.cells, record.quoted));
  expect(payload.b).toBe('x');
  return payload.a;
}

describe('a cell', () => {
  // biome-ignore format: a table, a row a line
  it.each<[what: string, schema: unknown, written: string, value: unknown]>([
    ['nothing where text goes', text, '', undefined],
    ['quotes where text goes', text, '""', ''],
    ['quotes where a number goes', number, '""', undefined],
    ['quotes where anything goes', {}, '""', ''],
    ['a number where text goes', text, '1', '1'],
    ['true where text goes', text, 'true', 'true'],
    ['null where text goes', text, 'null', 'null'],
    ['blanks where text goes', text, ' a ', ' a '],
    ['a number', number, '-1.50e+3', -1500],
    ['a quoted number', number, '"5"', 5],
    ['what is no JSON number', number, '1.', '1.'],
    ['a number with a comma', number, '"1,5"', '1,5'],
    ['a number with a plus', number, '+5', '+5'],
    ['a boolean', { type: 'boolean' }, 'TRUE', true],
    ['a quoted boolean', { type: 'boolean' }, '"False"', false],
    ['what is no boolean', { type: 'boolean' }, '1', '1'],
    ['an array', { type: 'array' }, '"[1,""a""]"', [1, 'a']],
    ['an object', { type: 'object' }, '{}', {}],
    ['what is no array', { type: 'array' }, 'a;b', 'a;b'],
    ['what begins like an array', { type: 'array' }, '[1', '[1'],
    ['an array where text goes', text, '[1]', '[1]'],
    ['anything: a number', {}, '1.0', 1],
    ['anything: a quoted number', {}, '"1"', '1'],
    ['anything: a boolean', {}, 'false', false],
    ['anything: a word like a boolean', {}, 'False', 'False'],
    ['anything: null', {}, 'null', null],
    ['anything: an array', {}, '"[1,2]"', [1, 2]],
    ['anything: an array without commas', {}, '[1]', [1]],
    ['anything: text that needed no quotes', {}, '"[1]"', '[1]'],
    ['anything: what only begins like an object', {}, '{a', '{a'],
    ['anything: a word', {}, 'abc', 'abc'],
    ['text or a number: a number', { type: ['string', 'number'] }, '1', 1],
    ['text or a number: a quoted one', { type: ['string', 'number'] }, '"1"', '1'],
    ['text or a number: true', { type: ['string', 'number'] }, 'true', 'true'],
    ['text or null: null', { type: ['string', 'null'] }, 'null', 'null'],
    ['a number or null: a quoted number', { type: ['number', 'null'] }, '"1"', 1],
    ['an enum of text', { enum: ['1', '2'] }, '1', '1'],
    ['an enum of numbers', { enum: [1, 2] }, '"1"', 1],
    ['a constant', { const: 'true' }, 'true', 'true'],
    ['one of two', { anyOf: [{ type: 'string' }, { type: 'array' }] }, '1', '1'],
    ['all of two', { allOf: [{ type: ['string', 'number'] }, { type: ['string', 'boolean'] }] }, '1', '1'],
    ['an escaped formula', text, "'=1", '=1'],
    ['an escaped formula behind blanks', text, "' \t=1", ' \t=1'],
    ["a formula with ' of its own", text, "''=1", "'=1"],
    ['an escaped tab', text, "'\tx", '\tx'],
    ["a ' that escapes nothing", text, "'tis", "'tis"],
    ["a ' alone", text, "'", "'"],
    ['an escaped formula where anything goes', {}, `"'-1"`, '-1'],
    ['an escaped number where a number goes', number, "'-1", '-1'],
  ])('with %s', (_what, schema, written, value) => {
    expect(cell(schema, written)).toEqual(value);
  });

  it.each([
    ['where it is required and may be null', { type: ['number', 'null'] }, ['a'], null],
    ['where it is required and may be anything', {}, ['a'], null],
    ['where it is required and may not be null', number, ['a'], undefined],
    ['where it is not required', { type: ['number', 'null'] }, [], undefined],
  ])('that is empty %s', (_what, schema, required, value) => {
    expect(cell(schema, '', required)).toBe(value);
  });

  it("keeps its ' when formulas are raw", () => {
    expect(cell(text, "'=1", [], 'raw')).toBe("'=1");
  });

  it('keeps a number as it is written', () => {
    const toJson = createRowJson({ properties: { a: number } }, ['/a'], 'escape');
    expect(toJson(['12345678901234567890.10'], [false])).toBe('{"a":12345678901234567890.10}');
  });
});

const row = (schema: Record<string, unknown>, columns: (string | null)[], ...cells: string[]) =>
  JSON.parse(
    createRowJson(
      schema,
      columns,
      'escape',
    )(
      cells,
      cells.map(() => false),
    ),
  );

describe('a row', () => {
  it('nests by pointers, and leaves out what has no value', () => {
    expect(row({}, ['/a/b', null, '/a/c/d', '/e', '/f/g'], '1', '2', '3', '4', '')).toEqual({
      a: { b: 1, c: { d: 3 } },
      e: 4,
    });
  });

  it('takes keys with slashes and tildes from escaped pointers', () => {
    expect(row({}, ['/a~1b/~0'], '1')).toEqual({ 'a/b': { '~': 1 } });
  });

  it('finds types through references and allOf', () => {
    const schema = {
      $ref: '#/$defs/base',
      $defs: {
        base: { allOf: [{ properties: { a: { $ref: '#/$defs/inner' } } }] },
        inner: { properties: { b: text } },
      },
    };
    expect(row(schema, ['/a/b', '/a/c'], '1', '1')).toEqual({ a: { b: '1', c: 1 } });
  });

  it.each([
    ['http://json-schema.org/draft-04/schema#', { a: 1, b: { c: 1 }, d: { e: '1', c: 1 } }],
    ['http://json-schema.org/draft-06/schema#', { a: 1, b: { c: 1 }, d: { e: '1', c: 1 } }],
    ['http://json-schema.org/draft-07/schema#', { a: 1, b: { c: 1 }, d: { e: '1', c: 1 } }],
    ['https://json-schema.org/draft/2019-09/schema', { a: '1', b: { c: '1' }, d: { e: '1', c: '1' } }],
    [undefined, { a: '1', b: { c: '1' }, d: { e: '1', c: '1' } }],
  ])('counts what stands beside a reference as the validator does, by %s', ($schema, expected) => {
    const properties = {
      a: { $ref: '#/definitions/x', type: 'string' },
      b: { $ref: '#/definitions/y', properties: { c: text }, required: ['f'] },
      d: { allOf: [{ $ref: '#/definitions/y', additionalProperties: text }] },
    };
    const definitions = { x: { type: ['string', 'number'] }, y: { properties: { e: text } } };
    const columns = ['/a', '/b/c', '/d/e', '/d/c'];
    expect(row({ $schema, properties, definitions }, columns, '1', '1', '1', '1')).toEqual(expected);
  });

  it('leaves out what is null only by what stands beside a reference that stands alone', () => {
    const properties = { a: { $ref: '#/definitions/x', required: ['b'] } };
    const definitions = { x: { properties: { b: { type: ['string', 'null'] }, c: text } } };
    const nulls = ($schema?: string) => row({ $schema, properties, definitions }, ['/a/b', '/a/c'], '', '1');
    expect(nulls('http://json-schema.org/draft-07/schema#')).toEqual({ a: { c: '1' } });
    expect(nulls()).toEqual({ a: { b: null, c: '1' } });
  });

  it.each([
    ['http://json-schema.org/draft-04/schema#', 1],
    ['http://json-schema.org/draft-06/schema#', '1'],
    [undefined, '1'],
  ])('takes types from const where the draft knows it, by %s', ($schema, a) => {
    expect(row({ $schema, properties: { a: { const: '1' } } }, ['/a'], '1')).toEqual({ a });
  });

  it('takes a reference to an anchor for one to anything, not to the root', () => {
    const schema = { type: 'object', properties: { a: { $ref: '#x' } }, $defs: { x: { $anchor: 'x' } } };
    expect(row(schema, ['/a'], '1')).toEqual({ a: 1 });
  });

  it('takes the types below an object that may be null', () => {
    const schema = { properties: { a: { anyOf: [{ properties: { b: text } }, { type: 'null' }] } } };
    expect(row(schema, ['/a/b'], '5')).toEqual({ a: { b: '5' } });
  });

  it.each([
    ['#x', '1'],
    ['https://x.test/x', 1],
  ])('takes the types of a reference only where no part has a base of its own: %s', ($id, a) => {
    const schema = { properties: { a: { $ref: '#/$defs/y' } }, $defs: { x: { $id }, y: text } };
    expect(row(schema, ['/a'], '1')).toEqual({ a });
  });

  it('fills in nulls that must be there only in objects that are there, or must be', () => {
    const nullable = { type: ['string', 'null'] };
    const inner = { properties: { x: nullable, y: text }, required: ['x'] };
    const schema = { properties: { a: inner, b: inner }, required: ['b'] };
    const columns = ['/a/x', '/a/y', '/b/x', '/b/y'];
    expect(row(schema, columns, '', '', '', '')).toEqual({ b: { x: null } });
    expect(row(schema, columns, '', '1', '', '')).toEqual({ a: { y: '1', x: null }, b: { x: null } });
  });

  it('that has a value and others below it is a problem', () => {
    expect(row({}, ['/a', '/a/b'], '', '1')).toEqual({ a: { b: 1 } });
    expect(row({}, ['/a', '/a/b'], '{}', '')).toEqual({ a: {} });
    expect(() => row({}, ['/a', '/a/b'], '1', '1')).toThrow('/a has a value of its own and others below it');
  });
});

describe('by a schema that takes long to look through, a row', () => {
  const columns = Array.from({ length: 5_000 }, (_, i) => `/c${i}`);
  const ones = columns.map(() => '1');
  const times = (count: number, part: () => unknown) => Array.from({ length: count }, part);

  it('has the types of a long enum that hundreds of references lead to', () => {
    const e = { enum: Array.from({ length: 9_500 }, (_, i) => `${i}`) };
    const allOf = times(400, () => ({ $ref: '#/$defs/e' }));
    const values = Object.values(row({ additionalProperties: { allOf }, $defs: { e } }, columns, ...ones));
    expect(values).toEqual(ones);
  });

  it('has the types of parts that references double', () => {
    const doubling = Array.from({ length: 40 }, (_, i) => {
      const next = times(2, () => ({ $ref: `#/$defs/d${i + 1}` }));
      return [`d${i}`, i % 2 ? { allOf: next } : { anyOf: next }];
    });
    const $defs = { ...Object.fromEntries(doubling), d40: text };
    expect(row({ $defs, properties: { a: { $ref: '#/$defs/d0' } } }, ['/a'], '1')).toEqual({ a: '1' });
  });

  it('has anything in columns for which there is no room, whichever rows came before', () => {
    const required = columns.map((pointer) => pointer.slice(1));
    const allOf = times(4_000, () => ({ additionalProperties: { type: ['string', 'null'] } }));
    const reader = () => {
      const toJson = createRowJson({ required, allOf }, columns, 'escape');
      const unquoted = columns.map(() => false);
      return (cell: string) => {
        const { c0, c4999 } = JSON.parse(toJson([cell, ...ones.slice(2), cell], unquoted));
        return { c0, c4999 };
      };
    };
    const read = reader();
    const [one, nothing] = [{ c0: '1', c4999: 1 }, { c0: null }];
    expect([read('1'), read(''), read('1'), reader()('')]).toEqual([one, nothing, one, nothing]);
  });
});
