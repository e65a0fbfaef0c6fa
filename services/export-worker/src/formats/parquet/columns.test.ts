import { columnsOf } from '@sluice/tables/columns.ts';
import { expect, it } from 'vitest';
import { columnsFor, read, write } from '../../../../../test/support/exports/parquet-files.ts';

const reading = {
  type: 'object',
  properties: { sensor: { type: 'string' }, value: { type: 'number' } },
};
const schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    place: { type: 'object', properties: { lat: { type: 'number' }, label: {} } },
    readings: { type: 'array', items: reading },
  },
};
const createdAt = '1970-01-01T00:00:00.005Z';

async function rowsOf(payloads: Record<string, unknown>[], selected?: string[], by: object = schema) {
  const schema = by as Record<string, unknown>;
  const entries = payloads.map((payload) => ({ time: 5, payload }));
  return read(await write({ schema, columns: columnsFor(schema, payloads), entries, selected }));
}

const cases: [string, Record<string, unknown>, Record<string, unknown>][] = [
  ['nothing', {}, { name: null, place: null, readings: null }],
  ['null', { name: null, place: null, readings: null }, { name: null, place: null, readings: null }],
  ['an empty object', { place: {} }, { name: null, place: { lat: null, label: null }, readings: null }],
  ['an empty array', { readings: [] }, { name: null, place: null, readings: [] }],
  [
    'null and {} in an array',
    { readings: [null, {}] },
    { name: null, place: null, readings: [null, { sensor: null, value: null, _extra: null }] },
  ],
  [
    'members that are not declared, in an array',
    { readings: [{ value: 1, unit: { of: 'mV' }, ok: null }] },
    {
      name: null,
      place: null,
      readings: [{ sensor: null, value: 1, _extra: '{"unit":{"of":"mV"},"ok":null}' }],
    },
  ],
  [
    'members that are not declared, elsewhere',
    { note: 'x', place: { lat: 1, height: { m: 2, of: [3] } } },
    {
      name: null,
      place: { lat: 1, label: null },
      readings: null,
      note: '"x"',
      'place.height.m': '2',
      'place.height.of': '[3]',
    },
  ],
  [
    'an object where the schema says nothing',
    { place: { label: { en: 'Hill', de: { short: 'H' } } } },
    { name: null, place: { lat: null, label: '{"en":"Hill","de":{"short":"H"}}' }, readings: null },
  ],
];
it.each(cases)('hold %s', async (_what, payload, row) => {
  expect(await rowsOf([payload])).toEqual([{ createdAt, ...row }]);
});

it.each([
  [['createdAt'], { createdAt }],
  [['place.lat'], { place: { lat: 1 } }],
  [['readings', 'name'], { name: 'n', readings: [{ sensor: 's', value: null, _extra: '{"x":1}' }] }],
  [['place.label'], { place: { label: null } }],
  [['place.label.en'], { 'place.label.en': '"Hill"' }],
  [['place.height', 'createdAt'], { createdAt, 'place.height': '9' }],
])('%j are selected, and nothing else is there', async (selected, row) => {
  const payload = {
    name: 'n',
    place: { lat: 1, height: 9, label: { en: 'Hill' } },
    readings: [{ sensor: 's', x: 1 }],
  };
  expect(await rowsOf([payload], selected)).toEqual([row]);
});

it('have the names of the exported columns, also where keys are like other names', async () => {
  const by = {
    type: 'object',
    properties: {
      createdAt: { type: 'object', properties: { by: { type: 'string' } } },
      'a.b': { type: 'string' },
      a: { type: 'object', properties: { b: { type: 'string' } } },
      '': { type: 'string' },
    },
  };
  const payload = { createdAt: { by: 'me' }, a: { b: '2', c: 3 }, 'a.c': 4, '': '5' };
  expect(await rowsOf([payload], undefined, by)).toEqual([
    { createdAt, '/createdAt': { by: 'me' }, '/a.b': null, a: { b: '2' }, '/': '5', 'a.c': '3', '/a.c': '4' },
  ]);
});

it.each<[string, object, object, Record<string, unknown>, Record<string, unknown>]>([
  ['07', { type: 'string' }, {}, { v: 1 }, { v: '1' }],
  [
    '06',
    { properties: { b: { type: 'string' } } },
    { type: 'object', properties: { c: { type: 'number' } } },
    { v: { b: 1, c: 2 } },
    { v: { c: 2 }, 'v.b': '1' },
  ],
])(
  'hold what is valid whatever stands beside a reference in draft %s',
  async (draft, beside, x, payload, row) => {
    const by = {
      $schema: `http://json-schema.org/draft-${draft}/schema#`,
      type: 'object',
      properties: { v: { $ref: '#/definitions/x', ...beside } },
      definitions: { x },
    };
    expect(await rowsOf([payload], undefined, by)).toEqual([{ createdAt, ...row }]);
  },
);

it('hold members that only what stands beside a reference forbids, in an array in draft 04', async () => {
  const items = { $ref: '#/definitions/x', additionalProperties: false };
  const by = {
    $schema: 'http://json-schema.org/draft-04/schema#',
    type: 'object',
    properties: { v: { type: 'array', items } },
    definitions: { x: { type: 'object', properties: { a: { type: 'integer' } } } },
  };
  expect(await rowsOf([{ v: [{ a: 1, b: 2 }] }], undefined, by)).toEqual([
    { createdAt, v: [{ a: 1, _extra: '{"b":2}' }] },
  ]);
});

it('keep numbers as they are', async () => {
  const by = { type: 'object', properties: { n: { type: 'number' }, i: { type: 'integer' } } };
  const payload = { n: -0, i: -(2 ** 63), other: -0 };
  expect(await rowsOf([payload], undefined, by)).toEqual([{ createdAt, n: 0, i: -(2 ** 63), other: '0' }]);
});

it('hold what enum and const let through as what it is', async () => {
  const by = {
    type: 'object',
    properties: {
      currency: { enum: ['EUR', 'USD', null] },
      kind: { oneOf: [{ const: 'a' }, { const: 'b' }] },
      digit: { enum: [1, 2] },
      size: { enum: [1, 1e30] },
      any: { enum: [1, 'a'] },
    },
  };
  const rows = await rowsOf(
    [
      { currency: 'EUR', kind: 'b', digit: 2, size: 1e30, any: 'a' },
      { currency: null, kind: 'a', digit: 1, size: 1, any: 1 },
    ],
    undefined,
    by,
  );
  expect(rows).toEqual([
    { createdAt, currency: 'EUR', kind: 'b', digit: 2, size: 1e30, any: '"a"' },
    { createdAt, currency: null, kind: 'a', digit: 1, size: 1, any: '1' },
  ]);
});

it('keep what looks like a reference in MongoDB', async () => {
  const payload = {
    label: { $ref: 'a', $id: 1 },
    place: { label: [{ $ref: 'b', $id: { $ref: 'c', $id: -0 } }] },
  };
  expect(await rowsOf([payload])).toEqual([
    {
      createdAt,
      name: null,
      place: { lat: null, label: '[{"$ref":"b","$id":{"$ref":"c","$id":0}}]' },
      readings: null,
      'label.$ref': '"a"',
      'label.$id': '1',
    },
  ]);
});

it.each<[Record<string, unknown>, string | null]>([
  [{ name: 'n', place: { lat: 1 } }, null],
  [{ note: 'x', name: 'n' }, '{"note":"x"}'],
  [
    { place: { height: { m: 2, of: [3] }, lat: 1 }, constructor: { a: null } },
    '{"place":{"height":{"m":2,"of":[3]}},"constructor":{"a":null}}',
  ],
])('has of %j, in the column for the rest, what has no other', async (payload, extra) => {
  const entries = [
    { time: 5, payload: { x: 1 } },
    { time: 5, payload },
  ];
  const rows = await read(
    await write({ schema, columns: columnsOf(schema, [], { hasRest: true }), entries }),
  );
  expect(rows.map(({ _extra }) => _extra)).toEqual(['{"x":1}', extra]);
  expect(Object.keys(rows[0] ?? {})).toEqual(['createdAt', 'name', 'place', 'readings', '_extra']);
});
