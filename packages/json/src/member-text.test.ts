import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memberText } from './member-text.ts';

it.each([
  ['{"a":{"b":12345678901234567890}}', 'a', '{"b":12345678901234567890}'],
  ['{"x":{"a":1},"a":{"a":[{"a":2}]},"y":"\\"a\\":3"}', 'a', '{"a":[{"a":2}]}'],
  [' { "a" : { "b" : 1.10 } } ', 'a', '{ "b" : 1.10 }'],
  ['{"a":{},"\\u0061":{"b":1}}', 'a', '{"b":1}'],
  ['{"b":"a","c":{"a":{}}}', 'a', undefined],
  ['{}', 'a', undefined],
  ['[{"a":{}}]', 'a', undefined],
])('of %s the member %s has the text %s', (text, name, expected) => {
  expect(memberText(text, name)).toBe(expected);
});

it('says the same as JSON.parse, whatever the object', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, noNullPrototype: true }),
      fc.nat({ max: 3 }),
      (object, indent) => {
        const text = JSON.stringify(object, null, indent);
        for (const [name, value] of Object.entries(JSON.parse(text)))
          expect(JSON.parse(memberText(text, name) as string)).toEqual(value);
      },
    ),
  );
});
