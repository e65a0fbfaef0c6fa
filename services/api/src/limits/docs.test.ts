import { readPage } from '@sluice/shared/config/docs.ts';
import { expect, it } from 'vitest';
import { withLimits } from './docs.ts';
import { capacities, quotas, rates } from './table.ts';

it('finds every limit in docs/operations.md as it is in the table (npm run docs:config writes it)', () => {
  const text = readPage();
  expect(withLimits(text)).toBe(text);
  for (const { what } of [...Object.values(rates), ...Object.values(quotas), ...Object.values(capacities)])
    expect(text).toContain(`| ${what}`);
});
