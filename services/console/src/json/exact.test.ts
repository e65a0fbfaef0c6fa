import { expect, it } from 'vitest';
import { parseExact, toText } from './exact.ts';

it.each(['9223372036854775807', '1.0', '1e2', '-0.0', '21.5', '"9223372036854775807"', 'null', '[1,1.50]'])(
  'a payload with %s is shown digit by digit',
  (value) => {
    expect(toText(parseExact(`{"a":${value}}`)).replace(/\s/g, '')).toBe(`{"a":${value}}`);
  },
);

it('what was cut off is shown as it is', () => {
  expect(toText('{"a":"bbb')).toBe('{"a":"bbb');
});
