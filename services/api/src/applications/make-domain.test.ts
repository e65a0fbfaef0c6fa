import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyCharacter } from '../../../../test/support/any-character.ts';
import { runs } from '../../../../test/support/runs.ts';
import { makeDomain } from './routes.ts';

it('makes a domain that is safe in paths, headers and names of files from any name', () => {
  const name = fc.oneof(fc.string({ unit: anyCharacter }), fc.string({ unit: 'grapheme' }), fc.string());
  fc.assert(
    fc.property(name, (text) => {
      expect(makeDomain(text)).toMatch(/^[a-z0-9][a-z0-9-]{0,39}-[a-z2-9]{6}$/);
    }),
    runs(400),
  );
});

it.each([
  ['Weather Station', /^weather-station-\w{6}$/],
  ['"; filename="evil.html', /^filenameevilhtml-\w{6}$/],
  ['../../etc', /^etc-\w{6}$/],
  ['İstanbul Größe', /^istanbul-grosse-\w{6}$/],
  ['天気', /^application-\w{6}$/],
])('makes of %j a slug', (name, domain) => {
  expect(makeDomain(name)).toMatch(domain);
});
