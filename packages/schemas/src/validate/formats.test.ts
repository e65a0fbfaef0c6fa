import { describe, expect, it } from 'vitest';
import { createFormats } from './formats.ts';

const formats = createFormats(() => {});
const check = (name: string, text: string) => (formats[name] as (text: string) => boolean)(text);

const hostile: [name: string, text: string][] = [
  ['uri', `http://${'a@a:'.repeat(50_000)}\n`],
  ['uri-reference', `/${'a:/'.repeat(50_000)}\n`],
  ['uri-template', `{${'a,'.repeat(100_000)}`],
  ['url', `http://${':@a.a'.repeat(50_000)}`],
  ['url', `http://${'a.a/@'.repeat(50_000)} `],
  ['url', `http://${'a-'.repeat(50_000)}\u0001`],
  ['email', `${'a.'.repeat(50_000)}@${'a-a.'.repeat(50_000)}`],
  ['hostname', 'a-'.repeat(50_000)],
  ['ipv6', '1:'.repeat(50_000)],
  ['duration', `P${'1'.repeat(200_000)}`],
  ['byte', `${'aaaa'.repeat(50_000)}!`],
  ['date-time', `2020-01-01T${'0'.repeat(200_000)}`],
  ['json-pointer', `${'/~0'.repeat(70_000)}~`],
  ['regex', '('.repeat(200_000)],
];

/** What a search with more than one way to the end would try again and again. */
const pumps = ['a', '1', '0', '-', '.', ':', '/', '@', '%41', '~0', '{a}', '1:', 'a.', 'a@', 'P1Y', '=', ' '];
/** These take any text, or some of those; what they refuse is above. */
const apart = ['binary', 'password', 'regex', 'json-pointer', 'byte'];
const ofText = Object.keys(formats).filter((name) => typeof formats[name] === 'function');

describe('formats', () => {
  it.each(ofText.filter((name) => !apart.includes(name)))(
    '%s refuses whatever is repeated endlessly, at once',
    (name) => {
      for (const pump of pumps)
        expect([pump, check(name, `${pump.repeat(100_000)}\n\u0001`)]).toEqual([pump, false]);
    },
  );

  // The quadratic search of the original `url` takes minutes here: the test's time-out is the assertion.
  it.each(hostile)('%s refuses a hostile text at once', (name, text) => {
    expect(check(name, text)).toBe(false);
  });

  it.each([
    ['url', 'https://user:pw@example.com:8080/a?b=c#d', true],
    ['url', 'https://user@example.com', true],
    ['url', 'https://10.0.0.1/', false],
    ['url', 'https://example.com/a b', false],
    ['regex', '^(?=a)\\d+$', true],
    ['regex', '(a', false],
    ['date', '2024-02-30', false],
    ['date-time', '2024-02-29T12:00:00Z', true],
    ['uuid', '123e4567-e89b-12d3-a456-426614174000', true],
    ['ipv4', '256.1.1.1', false],
  ])('%s of %s is %s', (name, text, valid) => {
    expect(check(name, text)).toBe(valid);
  });

  it('pays for the length of the text', () => {
    let steps = 0;
    const counted = createFormats((n) => (steps += n)).email as (text: string) => boolean;
    counted('a'.repeat(1_000));
    expect(steps).toBeGreaterThan(1_000);
  });
});
