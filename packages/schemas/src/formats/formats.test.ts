import * as library from '@hyperjump/json-schema-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { OutOfSteps, withSteps } from '../budget.ts';
import { formats } from './formats.ts';

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
  ['time', `23:59:60.${'0'.repeat(1_000_000)}`],
  ['uuid', '1'.repeat(1_000_000)],
  ['email', `"${'\\"'.repeat(100_000)}@a.b`],
  ['email', `x@[x:${'a'.repeat(1_000_000)}]`],
  ['relative-json-pointer', `1${'/~0'.repeat(70_000)}~`],
];

/** What a search with more than one way to the end would try again and again. */
const pumps = ['a', '1', '0', '-', '.', ':', '/', '@', '%41', '~0', '{a}', '1:', 'a.', 'a@', 'P1Y', '=', ' '];
/** These take any text, or some of those; what they refuse is above. */
const apart = ['regex', 'json-pointer', 'byte'];
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
    ['date', '2000-02-29', true],
    ['date', '1900-02-29', false],
    ['date', '2024-04-31', false],
    ['date', '0000-12-31', true],
    ['date', '2024-00-10', false],
    ['time', '08:30:06-08:00', true],
    ['time', '08:30:06', false],
    ['time', '23:59:60Z', true],
    ['time', '00:29:60-23:30', true],
    ['time', '23:59:60+01:00', false],
    ['date-time', '1985-04-12t00:59:59.999999999999999z', true],
    ['date-time', '2016-12-31T23:59:60Z', true],
    ['date-time', '2016-12-31T15:59:60.5-08:00', true],
    ['date-time', '2017-01-01T00:59:60+01:00', true],
    ['date-time', '2016-12-31T24:59:60+01:00', false],
    ['date-time', '2016-12-31T23:58:60Z', false],
    ['date-time', '2026-11-23T23:59:60Z', false],
    ['date-time', '2024-02-29T12:00:00+01', false],
    ['date-time', '2024-02-29T12:00:00+0100', false],
    ['date-time', '2024-02-29 12:00:00Z', false],
    ['date-time', '2024-02-29T12:00:00', false],
    ['date-time', '2024-02-29T12:00:00Z\n', false],
    ['iso-date-time', '2024-02-29 12:00:00', true],
    ['iso-date-time', '2024-02-29T12:00:00+01', true],
    ['iso-date-time', '2016-12-31T23:59:60', true],
    ['iso-time', '12:00:00-0130', true],
    ['iso-time', '12:00', false],
    ['duration', 'P1Y2M3DT4H5M6S', true],
    ['duration', 'P1Y2D', false],
    ['duration', 'P1W2D', false],
    ['uuid', 'urn:uuid:123e4567-e89b-12d3-a456-426614174000', false],
    ['email', '"a b"@example.org', true],
    ['email', '"a@b"@example.org', true],
    ['email', 'x@[192.0.2.1]', true],
    ['email', 'x@[IPv6:::1]', true],
    ['email', 'x@[tag:any]', false],
    ['email', 'a@b@c.org', false],
    ['email', `${'a'.repeat(64)}@a.b`, true],
    ['email', `${'a'.repeat(65)}@a.b`, false],
    ['email', `a@${'b.'.repeat(127)}c`, true],
    ['email', `a@${'b.'.repeat(127)}cd`, false],
    ['hostname', `${'b.'.repeat(126)}c`, true],
    ['hostname', `${'b.'.repeat(126)}cd`, false],
    ['uri', 'http://a.b:80x/', false],
    ['uri', 'http://[v1.a:b]/', true],
    ['uri', '/a', false],
    ['uri-reference', '//[v1.a]/b', true],
    ['hostname', 'xn--9n2bp8q.xn--9t4b11yi5a', true],
    ['hostname', 'xn--X', false],
    ['hostname', 'ab--cd.example', true],
    ['hostname', 'example.com.', false],
    ['byte', 'aGk=', true],
    ['byte', '!!!!\naGk=', false],
    ['json-pointer-uri-fragment', '#/a%20b~1', true],
    ['json-pointer-uri-fragment', '/a', false],
  ])('%s of %s is %s', (name, text, valid) => {
    expect(check(name, text)).toBe(valid);
  });

  it.each<[string, number | bigint, boolean]>([
    ['int32', 2 ** 31 - 1, true],
    ['int32', -(2 ** 31), true],
    ['int32', 2 ** 31, false],
    ['int32', 1.5, false],
    ['int64', 9_007_199_254_740_993n, true],
    ['double', 0.1, true],
  ])('%s of %s is %s', (name, value, valid) => {
    const format = formats[name];
    expect(typeof format === 'object' && format.validate(value)).toBe(valid);
  });

  const orFalse = (check: (text: string) => boolean) => (text: string) => {
    try {
      return check(text);
    } catch {
      return false;
    }
  };

  // They have a quick look of our own. The library knows a list of leap seconds, we only the days on which they may be.
  it.each([
    ['date', library.isDate, ['2024-02-29', '1900-02-29', '2026-11-31']],
    ['time', library.isTime, ['23:59:60Z', '08:00:00.5+01:00', '24:00:00z']],
    ['date-time', library.isDateTime, ['2016-12-31T23:59:60Z', '2026-11-23t08:00:00.123-23:59']],
    [
      'email',
      library.isEmail,
      ['ada@example.org', '"a b"@x.y', 'a.b+c-d_e@mail-1.example.com', 'a@[192.0.2.1]'],
    ],
  ] as const)('%s takes nothing that the library refuses', (name, isRight, texts) => {
    const changed = fc
      .tuple(fc.constantFrom(...texts), fc.nat(40), fc.nat(2), fc.string({ maxLength: 2 }))
      .map(([text, at, gone, put]) => text.slice(0, at) + put + text.slice(at + gone));
    const near = fc.oneof(
      changed,
      changed.map((text) => text.replace(/\d/, '3')),
      fc.constantFrom(...texts),
    );
    fc.assert(
      fc.property(near, (text) => {
        if (check(name, text) && !text.includes(':60'))
          expect([text, orFalse(isRight)(text)]).toEqual([text, true]);
      }),
      runs(1_000),
    );
  });

  it('pays for the length of the text', () => {
    const email = formats.email as (text: string) => boolean;
    expect(() => withSteps(1_000, () => email('a'.repeat(1_000)))).toThrow(OutOfSteps);
  });
});
