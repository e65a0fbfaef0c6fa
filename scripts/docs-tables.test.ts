import { existsSync, readFileSync } from 'node:fs';
import { capacities, quotas, rates } from '@sluice/api/limits/table.ts';
import { groups } from '@sluice/shared/config/variables.ts';
import { metricTable } from '@sluice/shared/metrics/table.ts';
import { expect, it } from 'vitest';
import { readPage, withTables } from './docs-tables.ts';

it('finds settings, limits and metrics in docs/reference.md as they are declared (npm run docs:config writes them)', () => {
  const text = readPage();
  expect(withTables(text)).toBe(text);
  for (const name of groups.flatMap(({ settings }) => Object.keys(settings)))
    expect(text).toContain(`\`${name}\``);
  for (const name of Object.keys(metricTable)) expect(text).toContain(`| \`${name}\` |`);
  for (const { what } of [...Object.values(rates), ...Object.values(quotas), ...Object.values(capacities)])
    expect(text).toContain(`| ${what}`);
});

it('finds at most 50 concepts in docs/architecture.md, each with a file', () => {
  const [, page = ''] = readFileSync('docs/architecture.md', 'utf8').split('## Concepts');
  const rows = page.split('###')[0]?.match(/^\| [^*|-].*`\S+` \|$/gm) ?? [];
  const files = rows.map((row) => /`([^`]+)` \|$/.exec(row)?.[1] ?? '');
  expect(files.length).toBeGreaterThan(0);
  expect(files.length).toBeLessThanOrEqual(50);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
