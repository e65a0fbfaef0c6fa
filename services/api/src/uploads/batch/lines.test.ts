import { parseJson } from '@sluice/json/parse-json.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../../test/support/any-character.ts';
import { runs } from '../../../../../test/support/runs.ts';
import { elementsOf, type Line, linesOf } from './lines.ts';

const values = (lines: Line[]) => lines.map(({ bytes }) => parseJson(bytes.toString()));

/** What was thrown, as its name and message; undefined when nothing was. */
function refusal(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return `${error.name}: ${error.message}`;
    throw error;
  }
}

const blank = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 });
const inlineBlank = fc.string({ unit: fc.constantFrom(' ', '\t', '\r'), maxLength: 3 });
const hostileText = fc.string({
  unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', '\n', 'é', '😀', 'a'),
});
const json = fc.oneof(
  fc.jsonValue({ maxDepth: 4, stringUnit: anyCharacter }),
  hostileText,
  fc.dictionary(hostileText, hostileText, { maxKeys: 3 }),
);

/** A JSON text of an array with white space of any kind between all of its tokens, and its elements. */
const arrayText = fc
  .tuple(fc.array(fc.tuple(blank, json, fc.boolean(), blank)), blank, blank, blank)
  .map(([elements, before, inside, after]) => {
    const texts = elements.map(
      ([left, value, loose, right]) => `${left}${JSON.stringify(value, null, loose ? 1 : undefined)}${right}`,
    );
    return `${before}[${texts.length > 0 ? texts.join(',') : inside}]${after}`;
  });

describe('the elements of an array', () => {
  it('are those that JSON has, whatever they hold and however they are spaced', () => {
    fc.assert(
      fc.property(arrayText, (text) => {
        const elements = elementsOf(Buffer.from(text), Number.POSITIVE_INFINITY);
        expect(values(elements)).toEqual(parseJson(text));
        expect(elements.map(({ line }) => line)).toEqual(elements.map((_, i) => i + 1));
      }),
      runs(300),
    );
  });

  /** Characters that mean something to JSON, put in place of others. */
  const damage = fc.array(
    fc.tuple(fc.nat(), fc.nat({ max: 2 }), fc.constantFrom(...'[]{},:"\\ 1n\n', 'true', '')),
    { minLength: 1, maxLength: 4 },
  );
  const damaged = fc.tuple(arrayText, damage).map(([text, changes]) =>
    changes
      .reduce((now, [where, length, by]) => {
        const at = where % (now.length + 1);
        return now.slice(0, at) + by + now.slice(at + length);
      }, text)
      // Half a pair of surrogates, left by a cut, has no bytes.
      .toWellFormed(),
  );

  function tryTo<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch {
      return undefined;
    }
  }

  it('are found exactly where the whole is a JSON array and each of them is JSON', () => {
    fc.assert(
      fc.property(fc.oneof(damaged, fc.string({ unit: fc.constantFrom(...'[]{},:"\\ 10') })), (text) => {
        const whole = tryTo(() => parseJson(text));
        const body = Buffer.from(text);
        const parts = tryTo(() => elementsOf(body, Number.POSITIVE_INFINITY));
        const each = parts && tryTo(() => values(parts));
        expect(each).toEqual(Array.isArray(whole) ? whole : undefined);
      }),
      runs(400),
    );
  });

  it('fail with an ApiError and nothing else, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        refusal(() => elementsOf(Buffer.from(`[${Buffer.from(bytes).toString('latin1')}`, 'latin1'), 3));
        refusal(() => linesOf(Buffer.from(bytes), 3));
      }),
      runs(),
    );
  });

  // biome-ignore format: a table, a row a line
  it.each([
    ['no elements', '[]', []],
    ['no elements, with blanks', ' \r\n[\t ] \n', []],
    ['a byte order mark', '\uFEFF[1]', ['1']],
    ['elements over several lines', '[{"a":\n1},\n2]', ['{"a":\n1}', '2']],
    ['brackets and commas in strings', '["],[","\\"]"]', ['"],["', '"\\"]"']],
    ['elements that are no JSON', '[{"a":1},{a:1},nonsense,1 2]', ['{"a":1}', '{a:1}', 'nonsense', '1 2']],
    ['an element with brackets that do not match', '[{"a":[1},{"b":2]},3]', ['{"a":[1},{"b":2]}', '3']],
  ])('are told apart with %s', (_what, text, expected) => {
    const found = elementsOf(Buffer.from(text), 10).map(({ bytes }) => bytes.toString());
    expect(found).toEqual(expected);
  });

  it.each([
    ['an object', '{}', 'the body is not a JSON array'],
    ['a number', '1', 'the body is not a JSON array'],
    ['nothing', '', 'the body is not a JSON array'],
    ['blanks', ' \n', 'the body is not a JSON array'],
    ['NDJSON', '{"a":1}\n{"a":2}', 'the body is not a JSON array'],
    ['an opening bracket', '[', 'element 1 of the array is missing'],
    ['no closing bracket', '[1', 'the array has no end'],
    ['a string without an end', '["a]', 'the array has no end'],
    ['a string that ends in a backslash', '["a\\', 'the array has no end'],
    ['an object without an end', '[{"a":1,{"b":2}]', 'the array has no end'],
    ['a comma at the end', '[1,]', 'element 2 of the array is missing'],
    ['a comma at the end, and no bracket', '[1,', 'element 2 of the array is missing'],
    ['a comma alone', '[,]', 'element 1 of the array is missing'],
    ['two commas', '[1, ,2]', 'element 2 of the array is missing'],
    ['a bracket too many', '[{"a":1}},2]', 'something follows the end of the array'],
    ['another bracket at the end', '[1}', 'something follows the end of the array'],
    ['two arrays', '[1][2]', 'something follows the end of the array'],
    ['text behind', '[] x', 'something follows the end of the array'],
    ['a NUL behind', '[1]\0', 'something follows the end of the array'],
  ])('are refused as a whole with %s', (_what, text, message) => {
    expect(refusal(() => elementsOf(Buffer.from(text), 10))).toBe(
      `MalformedBodyError: ${message}; nothing was stored`,
    );
  });
});

describe('the lines of NDJSON', () => {
  it('are those that hold something, numbered as they stand, whatever the line ends', () => {
    const line = fc.tuple(inlineBlank, fc.option(json, { nil: undefined }), inlineBlank);
    fc.assert(
      fc.property(fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n'))), fc.boolean(), (list, ended) => {
        const texts = list.map(([[left, value, right]]) =>
          value === undefined ? left + right : left + JSON.stringify(value) + right,
        );
        const text = texts.map((one, i) => one + (ended || i + 1 < list.length ? list[i]?.[1] : '')).join('');
        const expected = list.flatMap(([[, value]], i) =>
          value === undefined ? [] : [{ line: i + 1, value: parseJson(JSON.stringify(value)) }],
        );
        const found = linesOf(Buffer.from(text), Number.POSITIVE_INFINITY);
        expect(found.map(({ line, bytes }) => ({ line, value: parseJson(bytes.toString()) }))).toEqual(
          expected,
        );
      }),
      runs(),
    );
  });

  // biome-ignore format: a table, a row a line
  it.each([
    ['no end of the last line', '1\n2', { 1: '1', 2: '2' }],
    ['an end of the last line', '1\n2\n', { 1: '1', 2: '2' }],
    ['CRLF', '1\r\n2\r\n', { 1: '1\r', 2: '2\r' }],
    ['blank lines, which count', '\n1\n \t\n\r\n2', { 2: '1', 5: '2' }],
    ['nothing but blank lines', '\n\r\n \n', {}],
    ['a line that is no JSON', '1\n{\n2', { 1: '1', 2: '{', 3: '2' }],
    ['an escaped line end', '"a\\nb"', { 1: '"a\\nb"' }],
    ['a byte order mark before all, which is ignored', '\uFEFF1\n2', { 1: '1', 2: '2' }],
    ['a byte order mark before a line, which makes it no JSON', '1\n\uFEFF2', { 1: '1', 2: '\uFEFF\uFEFF2' }],
    ['other white space than JSON knows', '\u00a0\n\v', { 1: '\u00a0', 2: '\v' }],
  ])('are told apart with %s', (_what, text, expected) => {
    const found = linesOf(Buffer.from(text), 10).map(({ line, bytes }) => [line, bytes.toString()]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });
});

describe.each([
  ['lines', linesOf, (count: number) => '1\n'.repeat(count)],
  ['elements', elementsOf, (count: number) => `[${Array(count).fill('1')}]`],
])('a limit of %s', (_what, tell, body) => {
  it('takes as many', () => expect(tell(Buffer.from(body(3)), 3)).toHaveLength(3));

  it('refuses one more', () => {
    expect(refusal(() => tell(Buffer.from(body(4)), 3))).toBe(
      'PayloadTooLargeError: the batch has more than 3 lines; nothing was stored',
    );
  });
});
