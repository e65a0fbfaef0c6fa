import { expect, it } from 'vitest';
import { parseExact, toText } from './exact.ts';

it.each(['9223372036854775807', '1.0', '1e2', '-0.0', '21.5', '"9223372036854775807"', 'null', '[1,1.50]'])(
  'a payload with %s is shown digit by digit',
  (value) => {
    expect(toText(parseExact(`{"a":${value}}`)).replace(/\s/g, '')).toBe(`{"a":${value}}`);
  },
);

it.each([
  ['objects', '{"a":', '}'],
  ['arrays', '[', ']'],
  ['both, with brackets in strings', '[{"]\\"":"}","a":', '}]'],
])('a payload of %s that are nested thousands of levels deep is cut off', (_what, begin, end) => {
  const deep = `${begin.repeat(20_000)}0${end.repeat(20_000)}`;
  const text = toText(parseExact(`{"b":1.50,"c":${deep},"e":[2]}`));
  expect(text.startsWith('{\n  "b": 1.50,\n  "c": ')).toBe(true);
  expect(text).toContain('"…"');
  expect(text.endsWith('\n  "e": [\n    2\n  ]\n}')).toBe(true);
});

it('what was cut off is shown as it is', () => {
  expect(toText('{"a":"bbb')).toBe('{"a":"bbb');
});
