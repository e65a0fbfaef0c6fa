import fc from 'fast-check';

/** JSON text of a number, which JavaScript may not hold. */
export class Digits {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export function toJson(value: unknown): string {
  if (value instanceof Digits) return value.text;
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)}:${toJson(each)}`)
    .join(',')}}`;
}

const digits = [
  ...['0', '-0', '1', '2', '2.5', '-3', '0.1', '5e-324', '1e300', '2147483648', '-2147483649'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993', '9007199254740994'],
  ...['1234567890123456789', '1234567890123456800', '1.2345678901234567e18', '1234567890123456768'],
  ...['9223372036854775807', '-9223372036854775808', '1e18', '1e19', '12345678901234567000'],
  ...['1e20', '1e21', '1e22'],
].map((text) => new Digits(text));
const texts = [
  ...[
    '',
    'a',
    'ab',
    'b',
    '$a',
    '$payload.a',
    '1',
    '1.5',
    'true',
    'null',
    '[]',
    '{}',
    '"a"',
    'NaN',
    'ä',
    'Ä',
    '\0',
  ],
  ...[
    '\ufffd',
    '\u{1f600}',
    'BAR',
    'Ä\n.*',
    '\\Qa\\E',
    '^(a|b)[^a]+$',
    'ЖЁт',
    'жёᲅ',
    'kK',
    'KſS',
    'İıi',
    'ß',
    "'",
    '%_',
  ],
];
const days = ['2026-01-01', '2025-12-31', '0001-01-01', '9999-12-31', '2024-02-29'];
const moments = [
  ...[
    '2026-01-01T00:00:00Z',
    '2026-01-01T05:30:00.123+05:30',
    '2026-01-01t00:00:00.5z',
    '2026-01-01T00:00:00.123456Z',
  ],
  ...[
    '2025-12-31T23:59:59.999-23:59',
    '2026-01-03T00:00:00.000Z',
    '2026-01-01T00:00:00.000Z',
    '2026-01-02T23:00:00+23:30',
  ],
];
const digit = fc.constantFrom(...digits);
export const text = fc.constantFrom(...texts);
const day = fc.constantFrom(...days);
const moment = fc.constantFrom(...moments);
const nil = fc.constant(null);
export const scalar = fc.oneof(digit, text, fc.boolean(), nil, day, moment);

export const keys = [
  'a',
  'b',
  'a.b',
  '$a',
  '',
  '0',
  'a/~',
  '*',
  '"',
  '\\',
  "'",
  'é',
  'id',
  'date',
  '_extra',
  'file_index',
];
const anyKey = fc.constantFrom(...keys);
export type Payload = Record<string, unknown>;
const { payload } = fc.letrec<{ value: unknown; payload: Payload }>((tie) => ({
  value: fc.oneof(
    { withCrossShrink: true },
    { arbitrary: scalar, weight: 5 },
    { arbitrary: fc.array(tie('value'), { maxLength: 2 }), weight: 1 },
    { arbitrary: tie('payload'), weight: 2 },
  ),
  payload: fc.dictionary(anyKey, tie('value'), { maxKeys: 5, noNullPrototype: true }),
}));

/** A schema of some members, and values that conform to it. */
const kinds: Record<string, { schema: object; value: fc.Arbitrary<unknown> }> = {
  int: {
    schema: { type: 'integer' },
    value: digit.filter(({ text }) => /^-?\d{1,19}$/.test(text)),
  },
  num: { schema: { type: ['number', 'null'] }, value: fc.oneof(digit, nil) },
  str: { schema: { type: 'string' }, value: fc.oneof(text, day) },
  bool: { schema: { type: ['boolean', 'null'] }, value: fc.oneof(fc.boolean(), nil) },
  date: { schema: { type: 'string', format: 'date' }, value: day },
  time: { schema: { type: 'string', format: 'date-time' }, value: moment },
  any: { schema: {}, value: scalar },
};
export const members = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6'];

/** A version of a schema, in which each member has another kind, and payloads that conform to it. */
const version = fc.shuffledSubarray(Object.keys(kinds), { minLength: 7, maxLength: 7 }).map((order) => {
  const kindOf = (at: number) => kinds[order[at] as string] as (typeof kinds)[string];
  const properties = Object.fromEntries(members.map((name, at) => [name, kindOf(at).schema]));
  const own = fc.record(Object.fromEntries(members.map((name, at) => [name, kindOf(at).value])), {
    requiredKeys: [],
    noNullPrototype: true,
  });
  const payloads = fc.array(
    fc.tuple(own, payload).map(([one, other]) => toJson({ ...other, ...one })),
    { minLength: 60, maxLength: 60 },
  );
  return { schema: { type: 'object', properties }, payloads };
});
export const versions = fc
  .array(version, { minLength: 1, maxLength: 2 })
  .chain((some) =>
    fc.tuple(...some.map(({ schema, payloads }) => payloads.map((all) => ({ schema, payloads: all })))),
  );

export type Version = { schema: object; payloads: string[] };

/** What happens to the entries of an application: at most so many are inserted at once, or brought with old times. */
export const entrySteps = ({ inserted, late }: { inserted: number; late: number }) =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        what: fc.constant('insert' as const),
        days: fc.array(fc.constant(0), { minLength: 1, maxLength: inserted }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        what: fc.constant('late' as const),
        days: fc.array(fc.nat(40), { minLength: 1, maxLength: late }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('delete' as const), place: fc.nat(999) }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('ask' as const) }) },
  );
