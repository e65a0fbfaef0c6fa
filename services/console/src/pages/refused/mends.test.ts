import { expect, it } from 'vitest';
import type { RefusedGroup } from '../../api/refused.ts';
import { chooseMend } from './choose-mend.ts';
import { isComplete, toAmendments } from './fix.ts';
import { suggestSchema } from './suggest.ts';
import { suggestChange, type Values } from './suggest-change.ts';

const schema = JSON.stringify({
  type: 'object',
  properties: {
    place: { enum: ['Oslo', 'Rome', 'Bergen'] },
    celsius: { type: 'number', maximum: 60 },
    day: { type: 'string', format: 'date' },
    note: { type: 'string', maxLength: 10 },
    email: { type: 'string' },
    count: { type: 'integer' },
    code: { enum: ['1001', '2002'] },
  },
  required: ['email', 'count'],
  additionalProperties: false,
});

/** A value, or several times the same. */
type Given = [value: unknown, count: number][];

interface Case {
  path: string;
  keyword: string;
  property?: string;
  given?: Given;
  members?: [name: string, count: number][];
  read?: number;
  isUsual: boolean;
}

function judge({ path, keyword, property, given = [], members = [], read, isUsual }: Case) {
  const all = read ?? given.reduce((sum, [, count]) => sum + count, 0);
  const values: Values = {
    read: all,
    values: given.map(([value, count]) => ({ value, count })),
    members: members.map(([name, count]) => ({ name, count })),
  };
  const named = { reason: 'schema' as const, path, keyword, ...(property && { property }), message: '' };
  const group: RefusedGroup = {
    ...named,
    count: all,
    kept: all,
    dismissed: false,
    first_at: '',
    last_at: '',
  };
  const change = suggestChange(group, values, schema);
  const fix = suggestSchema(group, values, schema);
  return {
    first: chooseMend({ group, values, change, fix, isUsual }),
    isComplete: isComplete(change),
    ...toAmendments(change),
    fix: fix?.label,
  };
}

// The ten cases of triage. `few`: most uploads conform, so the schema is right.
const few = { isUsual: true };

it.each<[what: string, given: Case, expected: object]>([
  [
    'missing for few',
    { ...few, path: '', keyword: 'required', property: 'count', read: 2, members: [['email', 2]] },
    { first: 'uploads', isComplete: false, fix: 'Make count optional' },
  ],
  [
    'wrong unit',
    {
      ...few,
      path: '/celsius',
      keyword: 'maximum',
      given: [
        [70.5, 3],
        [81, 1],
      ],
    },
    { first: 'uploads', isComplete: false },
  ],
  [
    'text number',
    {
      isUsual: false,
      path: '/celsius',
      keyword: 'type',
      given: [
        ['25,00 kr', 2],
        ['1.234,50 kr', 1],
        ['free', 1],
      ],
    },
    { first: 'uploads', coerce: '[{"path":"/celsius","to":"number","decimal":",","unit":"kr"}]' },
  ],
  [
    'local date',
    {
      isUsual: false,
      path: '/day',
      keyword: 'format',
      given: [
        ['25.11.2026', 3],
        ['03.04.2026', 1],
      ],
    },
    { first: 'uploads', coerce: '[{"path":"/day","to":"date","order":"dmy"}]', fix: 'Allow any text' },
  ],
  [
    'new field',
    {
      ...few,
      path: '',
      keyword: 'additionalProperties',
      property: 'humidity',
      given: [[0.4, 3]],
      members: [
        ['humidity', 3],
        ['email', 3],
      ],
    },
    { first: 'schema', fix: 'Allow the field humidity' },
  ],
  [
    'enum typo',
    {
      ...few,
      path: '/place',
      keyword: 'enum',
      given: [
        ['Olso', 2],
        ['Rmoe', 1],
      ],
    },
    {
      first: 'uploads',
      coerce: '[{"path":"/place","if":"Olso","set":"Oslo"},{"path":"/place","if":"Rmoe","set":"Rome"}]',
    },
  ],
  [
    'null',
    { ...few, path: '/celsius', keyword: 'type', given: [[null, 4]] },
    {
      first: 'uploads',
      coerce: '[{"path":"/celsius","if":null,"remove":true}]',
      fix: 'Allow null as well as numbers',
    },
  ],
  [
    'too long',
    {
      ...few,
      path: '/note',
      keyword: 'maxLength',
      given: [
        ['a note of 15 ch', 1],
        ['twelve chars', 2],
      ],
    },
    { first: 'schema', fix: 'Set maxLength to 15' },
  ],
  [
    'wrong key',
    {
      isUsual: false,
      path: '',
      keyword: 'required',
      property: 'email',
      read: 3,
      members: [
        ['e-mail', 3],
        ['count', 3],
      ],
    },
    { first: 'uploads', patch: '[{"op":"move","from":"/e-mail","path":"/email"}]' },
  ],
  [
    'mixed group',
    {
      isUsual: false,
      path: '/celsius',
      keyword: 'type',
      given: [
        ['21.5', 5],
        ['warm', 3],
        [null, 1],
      ],
    },
    {
      first: 'uploads',
      coerce: '[{"path":"/celsius","to":"number"},{"path":"/celsius","if":null,"remove":true}]',
      fix: 'Allow text and null as well as numbers',
    },
  ],
])('%s: the right mend comes first', (_what, given, expected) => {
  expect(judge(given)).toMatchObject(expected);
});

it.each<[what: string, given: Case, expected: object]>([
  [
    'a date that may be read in two orders',
    { ...few, path: '/day', keyword: 'format', given: [['03/04/2026', 2]] },
    { first: 'uploads', isComplete: false },
  ],
  [
    'a date in another form than the dates beside it',
    {
      ...few,
      path: '/day',
      keyword: 'format',
      given: [
        ['25.11.2026', 2],
        ['03/04/2026', 2],
      ],
    },
    { first: 'uploads', isComplete: false },
  ],
  [
    'a number that may be read in two ways',
    { ...few, path: '/celsius', keyword: 'type', given: [['1,500', 2]] },
    { first: 'uploads', isComplete: false },
  ],
  [
    'a number with a point beside those with commas',
    {
      ...few,
      path: '/celsius',
      keyword: 'type',
      given: [
        ['1.234', 1],
        ['25,00', 2],
      ],
    },
    { first: 'uploads', isComplete: false },
  ],
  [
    'texts that are digits',
    { ...few, path: '/code', keyword: 'enum', given: [['10001', 1]] },
    { first: 'uploads', coerce: '[{"path":"/code","if":"10001","set":"1001"}]' },
  ],
  [
    'nulls of a field that is required',
    { ...few, path: '/count', keyword: 'type', given: [[null, 2]] },
    { first: 'uploads', isComplete: false },
  ],
  [
    'nulls where few uploads conform',
    { isUsual: false, path: '/celsius', keyword: 'type', given: [[null, 2]] },
    { first: 'schema' },
  ],
  [
    'words in place of numbers where few uploads conform',
    {
      isUsual: false,
      path: '/celsius',
      keyword: 'type',
      given: [
        ['warm', 5],
        ['1', 1],
      ],
    },
    { first: 'schema' },
  ],
  [
    'a key that is misspelled in a closed object',
    {
      ...few,
      path: '',
      keyword: 'additionalProperties',
      property: 'notes',
      given: [['x', 2]],
      read: 2,
      members: [
        ['notes', 2],
        ['email', 2],
        ['count', 2],
      ],
    },
    { first: 'uploads', patch: '[{"op":"move","from":"/notes","path":"/note"}]' },
  ],
  [
    'amounts in several units',
    {
      isUsual: false,
      path: '/celsius',
      keyword: 'type',
      given: [
        ['5,00 kr', 3],
        ['5,00 USD', 1],
      ],
    },
    { first: 'uploads', coerce: '[{"path":"/celsius","to":"number","decimal":",","unit":"kr"}]' },
  ],
  [
    'a new value that is like none',
    { isUsual: false, path: '/place', keyword: 'enum', given: [['Copenhagen', 2]] },
    { first: 'schema', isComplete: false },
  ],
  [
    'a rule without a known change',
    { isUsual: false, path: '/note', keyword: 'not', given: [['x', 1]] },
    { first: 'uploads', isComplete: false, fix: undefined },
  ],
])('%s', (_what, given, expected) => {
  expect(judge(given)).toMatchObject(expected);
});
