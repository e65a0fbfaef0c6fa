import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseExact, toLine, toText, valueAt } from './exact.ts';

it.each(['9223372036854775807', '1.0', '1e2', '-0.0', '21.5', '"9223372036854775807"', 'null', '[1,1.50]'])(
  'a payload with %s is shown digit by digit',
  (value) => {
    expect(toText(parseExact(`{"a":${value}}`)).replace(/\s/g, '')).toBe(`{"a":${value}}`);
  },
);

it.each([
  '{"a":1,"a":2}',
  '{"b":1,"10":2,"9":[3]}',
  '{"a":-0,"b":1e400}',
  '{"\\u0061":"\\u00e9","__proto__":1.0}',
  '[]',
])('the payload %s is shown as it was sent', (sent) => {
  const answer = parseExact(`{"data":[{"payload": ${sent.replaceAll(',', ' ,\n')} }]}`);
  const payload = valueAt(answer, '/data/0/payload');
  expect(toLine(payload)).toBe(sent);
  expect(toText(payload).replace(/\s/g, '')).toBe(sent);
});

it('keys with escapes are not taken for other keys', () => {
  expect(toLine(parseExact('[{"\\u0061":1},{"b":2}]'))).toBe('[{"a":1},{"b":2}]');
});

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

/** What else reads JSON, which rounds numbers and loses keys that come twice. */
const otherReaders = [
  'api/client.ts: failures',
  'api/follow-live.ts: counts',
  'jobs/job-list.tsx: jobs, of which lists show no payload',
  'pages/create/use-draft.ts: what the check of a sample takes',
  'pages/send/snippets.ts: whether digits would change',
];

it('payloads are read with their digits, everywhere', () => {
  const src = join(import.meta.dirname, '..');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' });
  const found = files
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.ts$|\.d\.ts$/.test(file))
    .filter((file) => /JSON\.parse\(|\.json\(\)/.test(readFileSync(join(src, file), 'utf8')));
  expect(found.sort()).toEqual(otherReaders.map((each) => each.split(':')[0]));
});
