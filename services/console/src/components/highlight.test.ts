import { expect, it } from 'vitest';
import { tokenize } from './highlight.ts';

const kinds = (code: string) =>
  tokenize(code)
    .filter(({ kind }) => kind !== 'plain')
    .map(({ kind, text }) => `${kind} ${text}`);

it.each([
  [`curl 'http://a/b' -d '{"n":1}'`, ['keyword curl', "string 'http://a/b'", `string '{"n":1}'`]],
  ['{"n": -1.5e3, "s": "x // y"}', ['name "n"', 'number 1.5e3', 'name "s"', 'string "x // y"']],
  ['x = None  # why', ['keyword None', 'comment # why']],
  ['const a = `b`; // c', ['keyword const', 'string `b`', 'comment // c']],
])('finds the parts of %s', (code, parts) => {
  expect(kinds(code)).toEqual(parts);
  expect(
    tokenize(code)
      .map(({ text }) => text)
      .join(''),
  ).toBe(code);
});
