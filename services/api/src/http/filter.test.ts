import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { readFilter } from './filter.ts';

const conditions = (text: string) => {
  const filter = readFilter(text);
  if (!filter.ok) throw new Error(JSON.stringify(filter.details));
  return filter.conditions;
};

describe('a filter', () => {
  it.each([
    ['{}', []],
    ['{"a":{"gte":20,"lt":30}}', ['/a gte 20', '/a lt 30']],
    ['{"a":5}', ['/a eq 5']],
    ['{"a":null,"b":false,"c":"$x"}', ['/a eq null', '/b eq false', '/c eq "$x"']],
    ['{"a.b.c":{"ne":1}}', ['/a/b/c ne 1']],
    ['{"/a.b":{"eq":1}}', ['/a.b eq 1']],
    ['{"/a~1b/~0c":1}', ['/a~1b/~0c eq 1']],
    ['{"/createdAt":1}', ['/createdAt eq 1']],
    ['{"":1,"/":2,".":3}', ['/ eq 1', '/ eq 2', '// eq 3']],
    ['{"$where":1,"$a.$b":2}', ['/$where eq 1', '/$a/$b eq 2']],
    ['{"constructor":{"eq":1}}', ['/constructor eq 1']],
    ['{"a":{"in":[]}}', ['/a in []']],
    ['{"a":{"in":[1,"b",null,true]}}', ['/a in [1,"b",null,true]']],
    ['{"a":{"exists":false},"a.b":{"exists":true}}', ['/a exists false', '/a/b exists true']],
    ['{"a":{"lte":"z","gt":"ä"}}', ['/a lte "z"', '/a gt "ä"']],
    [`{"a":{"in":${JSON.stringify(Array.from({ length: 100 }, (_, i) => i))}}}`, [expect.anything()]],
    [
      JSON.stringify(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [i, i]))),
      Array(20).fill(expect.anything()),
    ],
    [`{"${'a.'.repeat(63)}a":1}`, [expect.anything()]],
  ])('%s', (text, expected) => {
    const read = conditions(text).map(({ path, operator, value }) => {
      const pointer = path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
      return `${pointer} ${operator} ${JSON.stringify(value)}`;
    });
    expect(read).toEqual(expected);
  });

  it.each([
    ['', '/filter', 'must be a JSON object, such as {"celsius":{"gte":20}}'],
    ['celsius>20', '/filter', 'must be a JSON object, such as {"celsius":{"gte":20}}'],
    ['[]', '/filter', 'must be a JSON object, such as {"celsius":{"gte":20}}'],
    ['null', '/filter', 'must be a JSON object, such as {"celsius":{"gte":20}}'],
    ['5', '/filter', 'must be a JSON object, such as {"celsius":{"gte":20}}'],
    ['{"__proto__":{"eq":1}}', '/filter', 'the key __proto__ is not accepted'],
    ['{"a":{}}', '/filter/a', expect.stringContaining('an object with some of eq, ne, lt')],
    ['{"a":[1]}', '/filter/a', expect.stringContaining('must be a string, a number')],
    ['{"a":{"regex":"x"}}', '/filter/a/regex', expect.stringContaining('is not an operator')],
    ['{"a":{"$gt":1}}', '/filter/a/$gt', expect.stringContaining('is not an operator')],
    ['{"a":{"constructor":1}}', '/filter/a/constructor', expect.stringContaining('is not an operator')],
    ['{"$or":[{"a":1}]}', '/filter/$or', expect.stringContaining('must be a string, a number')],
    ['{"a":{"eq":{"$gt":1}}}', '/filter/a/eq', 'must be a string, a number, a boolean or null'],
    ['{"a":{"eq":[1]}}', '/filter/a/eq', 'must be a string, a number, a boolean or null'],
    ['{"a":{"lt":true}}', '/filter/a/lt', 'must be a number or a string'],
    ['{"a":{"gte":null}}', '/filter/a/gte', 'must be a number or a string'],
    ['{"a":{"in":1}}', '/filter/a/in', expect.stringContaining('array of at most 100')],
    ['{"a":{"in":[[1]]}}', '/filter/a/in', expect.stringContaining('array of at most 100')],
    [
      `{"a":{"in":${JSON.stringify(Array.from({ length: 101 }, (_, i) => i))}}}`,
      '/filter/a/in',
      expect.stringContaining('100'),
    ],
    ['{"a":{"contains":1}}', '/filter/a/contains', 'must be a string of at most 100 characters'],
    [`{"a":{"contains":"${'x'.repeat(101)}"}}`, '/filter/a/contains', expect.stringContaining('100')],
    ['{"a":{"exists":1}}', '/filter/a/exists', 'must be true or false'],
    ['{"createdAt":{"gt":"2026"}}', '/filter/createdAt', expect.stringContaining('use from and to')],
    ['{"/a~2":1}', '/filter/~1a~02', expect.stringContaining('is not a JSON Pointer')],
    ['{"a":1,"a":2}', '/filter/a', expect.stringContaining('more than once')],
    ['{"a":{"lt":9223372036854775808}}', '/filter/a/lt', expect.stringContaining('beyond 64 bits')],
    ['{"a":"\\ud800"}', '/filter/a', expect.stringContaining('surrogate')],
    ['{"a\\u0000b":1}', expect.stringMatching('^/filter/a'), expect.stringContaining('NUL')],
    [`{"a":"${'ä'.repeat(2_045)}"}`, '/filter', 'must have at most 4096 bytes'],
    [
      JSON.stringify(Object.fromEntries(Array.from({ length: 21 }, (_, i) => [i, i]))),
      '/filter',
      'must have at most 20 conditions',
    ],
  ])('is refused: %s', (text, path, message) => {
    expect(readFilter(text)).toEqual({
      ok: false,
      details: [{ in: 'querystring', path, keyword: expect.any(String), message }],
    });
  });

  it('counts the operators of one member as conditions of their own', () => {
    const all = { eq: 1, ne: 1, lt: 1, lte: 1, gt: 1, gte: 1, exists: true };
    expect(readFilter(JSON.stringify({ a: all, b: all, c: all })).ok).toBe(false);
    expect(readFilter(JSON.stringify({ a: all, b: all })).ok).toBe(true);
  });

  it('is refused for a member that is deeper than payloads go', () => {
    expect(readFilter(`{"${'a.'.repeat(64)}a":1}`)).toMatchObject({ ok: false });
  });

  it('names all that is wrong', () => {
    expect(readFilter('{"a":{"regex":1},"b":{"lt":null},"c":1}')).toMatchObject({
      details: [{ path: '/filter/a/regex' }, { path: '/filter/b/lt' }],
    });
  });

  it('is read or refused, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        const filter = readFilter(text);
        if (!filter.ok) expect(filter.details.length).toBeGreaterThan(0);
      }),
      runs(),
    );
  });
});
