import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJson } from '../../../test/support/any-json.ts';
import { runs } from '../../../test/support/runs.ts';
import { parseJson } from './parse-json.ts';

const key = fc.array(fc.constantFrom('"', '\\', '\n', 'a', 'u', '0', '1', 'é', '__proto__', ''), {
  maxLength: 4,
});
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.string(),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .uniqueArray(
        fc.tuple(
          key.map((parts) => parts.join('')),
          tie('value'),
        ),
        { selector: ([name]) => name, maxLength: 4 },
      )
      .map((members) => Object.fromEntries(members)),
  ),
}));

describe('a text with escaped keys', () => {
  it('gives the value it was made of, after whatever texts came before', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 3 }), fc.constantFrom(0, 2), (values, indent) => {
        for (const value of values)
          expect(JSON.stringify(parseJson(JSON.stringify(value, null, indent)))).toBe(JSON.stringify(value));
      }),
      runs(400),
    );
  });

  it.each([
    ['{"a":1,"\\\\":2}', '{"a":1,"\\"":2}', '"'],
    ['{"a":1,"\\\\":2}', '{"a":1,"\\u0041":2}', 'A'],
    ['{"a":1,"b\\\\":2}', '{"a":1,"b\\n" :2}', 'b\n'],
    ['{"a":1,"\\\\u005f_pr":2}', '{"a":1,"\\u005f_proto__"\n:2}', '__proto__'],
  ])('after %s has in %s the key %j', (before, text, key) => {
    for (let times = 0; times < 3; times++) parseJson(before);
    expect(Object.keys(parseJson(text) as object)).toEqual(['a', key]);
  });
});

it('takes and refuses the texts that JSON.parse does', () => {
  fc.assert(
    fc.property(anyJson, fc.nat(), fc.constantFrom('', ',', '"', '\\', '}'), (json, at, broken) => {
      const place = at % (json.length + 1);
      const text = json.slice(0, place) + broken + json.slice(place);
      const outcome = (parse: (text: string) => unknown) => {
        try {
          parse(text);
          return 'taken';
        } catch (error) {
          return (error as Error).message;
        }
      };
      expect(outcome(parseJson)).toBe(outcome(JSON.parse));
    }),
    runs(),
  );
});

it('revives each value by its key, members before their objects', () => {
  const seen: unknown[] = [];
  const revive = (key: string, value: unknown) => {
    seen.push([key, value]);
    return value === 1 ? 2 : value;
  };
  expect(parseJson('{"\\n":[1,{"b":1}],"c":null}', revive)).toEqual({ '\n': [2, { b: 2 }], c: null });
  const last = seen.slice(-6).map((pair) => (pair as [string, unknown])[0]);
  expect(last).toEqual(['0', 'b', '1', '\n', 'c', '']);
});
