import { describe, expect, it } from 'vitest';
import { growsFaster } from '../../../../test/support/processor-time.ts';
import { isNamedIn } from './etags.ts';

describe('a tag in If-None-Match', () => {
  it.each([
    ['"a"', true],
    ['*', true],
    ['"b" ,\t"a"  , "c"', true],
    ['"b","a"', true],
    ['W/"a"', true],
    ['W/"b", W/"a"', true],
    ['w/"a"', false],
    ['"ab"', false],
    ['"b", "c"', false],
    ['', false],
  ])('%s', (list, isNamed) => expect(isNamedIn(list, '"a"')).toBe(isNamed));

  it('is looked for in time that grows with the header, also where it has many spaces', () => {
    expect(growsFaster((length) => isNamedIn(`a${' '.repeat(length)}b`, '"a"'), 4_000)).toBe(false);
  });
});
