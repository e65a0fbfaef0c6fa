import fc from 'fast-check';

export const integer = { type: 'integer' };
const nested = { type: 'object', properties: { i: integer } };
export const numbersSchema = {
  type: 'object',
  properties: {
    i: integer,
    n: { type: 'number' },
    any: {},
    within: nested,
    list: { type: 'array', items: integer },
    rows: { type: 'array', items: nested },
  },
};

const anyInteger = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => Math.trunc(value)),
  fc
    .tuple(fc.double({ min: -10, max: 10, noNaN: true }), fc.nat({ max: 30 }))
    .map(([digits, power]) => Math.trunc(digits * 10 ** power)),
  fc.constantFrom(
    72057594037927940,
    1152921504606847000,
    -0,
    2 ** 53,
    2 ** 63,
    -(2 ** 63),
    2 ** 63 - 1024,
    1e19,
    1e308,
  ),
  // What MongoDB holds as a 64-bit integer.
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);
const anyNumber = fc.oneof(anyInteger, fc.double({ noNaN: true, noDefaultInfinity: true }));
/** With numbers of any size in all kinds of columns. */
export const numbersPayload = fc.record(
  {
    i: anyInteger,
    n: anyNumber,
    any: fc.oneof(anyNumber, fc.array(anyNumber, { maxLength: 2 })),
    other: anyNumber,
    within: fc.record({ i: anyInteger }),
    list: fc.array(anyInteger, { maxLength: 3 }),
    rows: fc.array(fc.record({ i: anyInteger, x: anyNumber }), { maxLength: 2 }),
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** As a list prints it. */
const digits = (_key: string, value: unknown) =>
  typeof value === 'bigint'
    ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(value))
    : value;
export const listed = (value: unknown) => (value === undefined ? null : JSON.stringify(value, digits));
