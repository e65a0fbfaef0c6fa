import { expect, it } from 'vitest';
import { pathAfter } from './path-after.ts';

it.each([
  [null, '/applications'],
  ['', '/applications'],
  ['/applications/a-1/entries?from=2026', '/applications/a-1/entries?from=2026'],
  ['/sign-in?then=/sign-in', '/applications'],
  ['https://evil.example/', '/applications'],
  ['//evil.example/a', '/applications'],
  ['/\\evil.example/a', '/applications'],
  ['/.//evil.example/a', '/applications'],
  ['/a/..//evil.example/a', '/applications'],
  ['javascript:alert(1)', '/applications'],
  ['//[', '/applications'],
])('after a sign-in with then=%s it goes to %s', (then, path) => {
  expect(pathAfter(then)).toBe(path);
});
