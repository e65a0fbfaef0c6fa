/** A schema, and an upload to an application with this schema. */
export interface Case {
  schema: object;
  payload: object;
}

/** A little below BODY_LIMIT. */
const bodyCharacters = 1_000_000;

const list = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i));
const map = (length: number, make: (i: number) => [name: string, value: unknown]) =>
  Object.fromEntries(list(length, make));
const ofA = (a: object, more: object = {}) => ({ type: 'object', properties: { a }, ...more });
const text = (part: string, end = '') => ({
  a: part.repeat(Math.floor(bodyCharacters / part.length)) + end,
});
/** Random letters, so that an engine always meets new states. */
const mixed = list(bodyCharacters, (i) => ((i * i * 7) % 11 < 5 ? 'a' : 'b')).join('');
const keys = map(90_000, (i) => [`k${i}`, 1]);

/** Patterns that are catastrophic for backtracking engines, and patterns with many states. */
export const patterns: Case[] = [
  { schema: ofA({ pattern: '^(a+)+$' }), payload: text('a', '!') },
  { schema: ofA({ pattern: '^(a|a)*$' }), payload: text('a', '!') },
  { schema: ofA({ pattern: '^([a-zA-Z]+)*$' }), payload: text('aZ', '!') },
  { schema: ofA({ pattern: '(x+x+)+y' }), payload: text('x') },
  { schema: ofA({ pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' }), payload: text('a') },
  { schema: ofA({ pattern: '(?:a|b)*a.{900}!' }), payload: { a: mixed } },
  {
    schema: ofA({ anyOf: list(100, (i) => ({ pattern: `^(a|aa)+${i}$` })) }),
    payload: text('a'),
  },
];

function doubling(depth: number, keyword: string, field: object, more: object = {}): object {
  const $defs = map(depth, (i) => [`d${i}`, { [keyword]: Array(2).fill({ $ref: `#/$defs/d${i + 1}` }) }]);
  return { type: 'object', $defs: { ...$defs, [`d${depth}`]: field }, $ref: '#/$defs/d0', ...more };
}

/** References that double, or that are recursive. */
export const references: Case[] = [
  { schema: doubling(40, 'allOf', {}), payload: text('a') },
  { schema: doubling(40, 'anyOf', { type: 'string' }), payload: text('a') },
  { schema: doubling(30, 'allOf', ofA({}), { unevaluatedProperties: false }), payload: text('a') },
  { schema: { type: 'object', $ref: '#' }, payload: text('a') },
  { schema: { type: 'object', allOf: [{ $ref: '#' }, { $ref: '#' }] }, payload: text('a') },
];

function deep(levels: number, inside: object): object {
  return levels === 0 ? inside : ofA({ anyOf: [{ type: 'string' }, deep(levels - 1, inside)] });
}

/** Schemas near the limits of size, depth, alternatives and patterns. */
export const large: Case[] = [
  { schema: { type: 'object', required: list(18_000, (i) => `k${i}`) }, payload: keys },
  { schema: { type: 'object', properties: map(4_000, (i) => [`k${i}`, { type: 'number' }]) }, payload: keys },
  { schema: ofA({ anyOf: list(4_000, (i) => ({ type: 'array', minItems: i + 1 })) }), payload: { a: [] } },
  {
    schema: ofA({
      items: { oneOf: list(1_500, (i) => ofA({ const: `t${i}` }, { required: ['a'] })) },
    }),
    payload: { a: list(60_000, () => ({ a: 't9' })) },
  },
  { schema: deep(20, { required: list(15_000, (i) => `k${i}`) }), payload: keys },
  { schema: ofA({ enum: list(15_000, (i) => `a${i}`) }), payload: { a: mixed } },
  { schema: { type: 'object', title: 'x'.repeat(250_000) }, payload: { a: mixed } },
  {
    schema: { type: 'object', patternProperties: map(180, (i) => [`${i}[ab]{100}`, {}]) },
    payload: keys,
  },
  { schema: { type: 'object', dependentRequired: map(6_000, (i) => [`k${i}`, [`x${i}`]]) }, payload: keys },
];

/** The slowest schema and body, found by trying all keywords. */
export const costly: Case[] = [
  { schema: { type: 'object', dependentRequired: map(1_000, (i) => [`k${i}`, [`x${i}`]]) }, payload: keys },
  { schema: ofA({ items: { multipleOf: 1e-300 } }), payload: { a: list(150_000, () => 1e300) } },
  {
    schema: ofA({ anyOf: list(100, (i) => ({ contains: { const: `z${i}` } })) }),
    payload: { a: list(240_000, () => 'x') },
  },
  {
    schema: ofA({
      items: { oneOf: list(100, (i) => ofA({ const: `t${i}` }, { type: 'object', required: ['a'] })) },
    }),
    payload: { a: list(70_000, () => ({ a: 't99' })) },
  },
  { schema: ofA({ uniqueItems: true }), payload: { a: list(120_000, (i) => [i]) } },
  {
    schema: { type: 'object', propertyNames: { anyOf: list(100, (i) => ({ pattern: `z${i}` })) } },
    payload: keys,
  },
  { schema: { type: 'object' }, payload: keys },
];
