import { expect, it } from 'vitest';
import { parseExact, valueAt } from '../../json/exact.ts';
import { suggestSchema } from './suggest.ts';

const schema = JSON.stringify({
  type: 'object',
  properties: {
    note: { type: 'null' },
    celsius: { type: 'number', maximum: 60 },
    count: { type: ['integer', 'null'] },
    sky: { enum: ['clear', 'cloudy'] },
    by: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['mail'] },
    tags: { type: 'array', items: { type: 'string' } },
    other: { $ref: '#' },
  },
});

/** What the API would count of one upload. */
function valuesOf(example: unknown, path: string, property?: string) {
  const around = valueAt(example, path);
  const value = property === undefined ? around : valueAt(around, `/${property}`);
  return { read: 1, members: [], values: value === undefined ? [] : [{ value, count: 1 }] };
}

const fix = (path: string, keyword: string, example: unknown, property?: string) => {
  const exact = typeof example === 'string' ? example : parseExact(JSON.stringify(example));
  const group = {
    path,
    keyword,
    message: '',
    example: exact,
    ...(property !== undefined && { property }),
  };
  const counts = {
    reason: 'schema' as const,
    count: 1,
    kept: 1,
    dismissed: false,
    first_at: '',
    last_at: '',
  };
  const found = suggestSchema({ ...group, ...counts }, valuesOf(exact, path, property), schema);
  return found && { label: found.label, ...JSON.parse(found.schema).properties };
};

it.each([
  ['/note', 'type', { note: 'x' }, 'Allow text as well as null', { note: { type: ['null', 'string'] } }],
  ['/celsius', 'type', { celsius: 'warm' }, 'Allow text as well as numbers', {}],
  ['/celsius', 'type', { celsius: null }, 'Allow null as well as numbers', {}],
  [
    '/count',
    'type',
    { count: 1.5 },
    'Allow numbers as well as whole numbers and null',
    { count: { type: ['null', 'number'] } },
  ],
  ['/celsius', 'maximum', { celsius: 61 }, 'Set maximum to 61', { celsius: { type: 'number', maximum: 61 } }],
  [
    '/sky',
    'enum',
    { sky: 'rain' },
    'Allow the value "rain" too',
    { sky: { enum: ['clear', 'cloudy', 'rain'] } },
  ],
  ['/by/ok', 'type', { by: { ok: 'so' } }, 'Allow text as well as true and false', {}],
  [
    '/tags/1',
    'type',
    { tags: ['a', null] },
    'Allow null as well as text',
    { tags: { type: 'array', items: { type: ['string', 'null'] } } },
  ],
])('at %s, %s of %o: %s', (path, keyword, example, label, part) => {
  expect(fix(path, keyword, example)).toMatchObject({ label, ...part });
});

it.each([
  ['/celsius', 'maximum', '{"celsius":9007199254740993}', 'Set maximum to 9007199254740993'],
  ['/sky', 'enum', '{"sky":9007199254740993}', 'Allow the value 9007199254740993 too'],
  ['/by/ok', 'type', '{"by":{"ok":9007199254740993}}', 'Allow whole numbers as well as true and false'],
  ['/note', 'type', '{"note":1.10}', 'Allow numbers as well as null'],
])('at %s, %s keeps the digits of %s', (path, keyword, example, label) => {
  const counts = {
    reason: 'schema' as const,
    count: 1,
    kept: 1,
    dismissed: false,
    first_at: '',
    last_at: '',
  };
  const found = suggestSchema(
    { path, keyword, message: '', example: parseExact(example), ...counts },
    valuesOf(parseExact(example), path),
    schema,
  );
  expect(found?.label).toBe(label);
  if (keyword !== 'type') expect(found?.schema).toContain('9007199254740993');
});

it.each([
  ['enum', [{ value: 'rain' }, { value: 'snow' }], 'Allow 2 further values', '"rain", "snow"'],
  ['maximum', [{ value: 61 }, { value: 75.5 }], 'Set maximum to 75.5', '75.5'],
  ['type', [{ value: 'warm' }, { value: null }], 'Allow text and null as well as numbers', '"null"'],
])('%s lets in all values of a group', (keyword, values, label, part) => {
  const path = keyword === 'enum' ? '/sky' : '/celsius';
  const group = {
    reason: 'schema' as const,
    path,
    keyword,
    message: '',
    count: 2,
    kept: 2,
    dismissed: false,
  };
  const found = suggestSchema(
    { ...group, first_at: '', last_at: '' },
    { read: 2, members: [], values: values.map((each) => ({ ...each, count: 1 })) },
    schema,
  );
  expect(found?.label).toBe(label);
  expect(found?.schema).toContain(part);
});

it('a missing field may stay missing', () => {
  const found = fix('/by', 'required', { by: {} }, 'mail');
  expect(found).toMatchObject({ label: 'Make mail optional' });
  expect(found.by).not.toHaveProperty('required');
});

it('a missing field that is required elsewhere is no change', () => {
  expect(fix('', 'required', {}, 'mail')).toBeUndefined();
});

it.each([
  ['what a reference says', '/other/note', 'type', { other: { note: 1 } }],
  ['a cut example', '/note', 'type', '{"note":'],
  ['a rule without a likely change', '/note', 'not', { note: 1 }],
])('nothing of the schema is changed for %s', (_what, path, keyword, example) => {
  expect(fix(path, keyword, example)).toBeUndefined();
});
