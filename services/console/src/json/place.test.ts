import { describe, expect, it } from 'vitest';
import { placeOfMessage, placeOfPointer } from './place.ts';

const text = `{
  "type": "object",
  "properties": {
    "a/b": { "type": "int" },
    "tags": [
      1,
      { "~": 2 }
    ]
  }
}`;

const marked = ({ from, to }: { from: number; to: number }) => text.slice(from, to);

describe('the place of a JSON Pointer', () => {
  it.each([
    ['', '{'],
    ['/type', '"type": "object"'],
    ['/properties', '"properties": {'],
    ['/properties/a~1b/type', '"type": "int"'],
    ['/properties/tags/0', '1'],
    ['/properties/tags/1/~0', '"~": 2'],
    ['/properties/tags/7/x', '"tags": ['],
    ['/nowhere', '{'],
  ])('%s is %s', (pointer, expected) => {
    expect(marked(placeOfPointer(text, pointer))).toBe(expected);
  });

  it('is also found in a text that is broken behind it', () => {
    const broken = '{\n "a": 1,\n "b": }';
    const { from, to } = placeOfPointer(broken, '/a');
    expect(broken.slice(from, to)).toBe('"a": 1');
  });

  it('is empty in an empty text', () => {
    expect(placeOfPointer('', '/a')).toEqual({ from: 0, to: 0 });
  });
});

describe('the place that a message names', () => {
  it.each([
    ['`int` is not a type, at /properties/a~1b/type: use integer', '"type": "int"'],
    ['/properties/tags is not a keyword; did you mean properties?', '"tags": ['],
    ['the schema is not JSON: unexpected character at line 5, column 13', '['],
    ['the root of the schema must have "type": "object"', '{'],
    ['unexpected end at line 99, column 1', ''],
  ])('of %s is %s', (message, expected) => {
    expect(marked(placeOfMessage(text, message))).toBe(expected);
  });
});
