import { expect, it } from 'vitest';
import { readPage, withTable } from './docs.ts';
import { groups } from './variables.ts';

it('finds every variable in docs/operations.md as it is declared (npm run docs:config writes it)', () => {
  const text = readPage();
  expect(withTable(text)).toBe(text);
  for (const name of groups.flatMap(({ settings }) => Object.keys(settings)))
    expect(text).toContain(`\`${name}\``);
});
