import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics } from '@sluice/shared/metrics/metrics.ts';
import { type MetricDefinition, metricTable } from '@sluice/shared/metrics/table.ts';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

interface Alert {
  alert: string;
  expr: string;
  annotations: { runbook: string };
}
interface Panel {
  title: string;
  targets?: { expr: string }[];
}

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const alerts: Alert[] = parse(read('deploy/monitoring/alerts.yml')).groups[0].rules;
const { panels }: { panels: Panel[] } = JSON.parse(read('deploy/monitoring/grafana/dashboards/sluice.json'));
const exprs = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];

const seriesOf: Record<MetricDefinition['type'], string[]> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['_sum', '_count'],
};
const { text } = createMetrics({ port: 1, token: undefined });
/** All metrics, with those of prom-client. */
const series = new Set([
  ...Object.entries(metricTable).flatMap(([name, { type }]) => seriesOf[type].map((end) => name + end)),
  ...Array.from((await text()).matchAll(/^(\w+)(?:\{.*\})? \S+$/gm), ([, name]) => name),
]);

it.each(exprs)('%s asks only for series that a service has: %s', (_where, expr) => {
  const named = expr.match(/\b(?:sluice|http|nodejs|process)_\w+/g) ?? [];
  expect(named.filter((name) => !series.has(name))).toEqual([]);
  expect(named.length > 0 || /\b(?:ALERTS|up)\b/.test(expr)).toBe(true);
});

const [, ...sections] = read('docs/runbooks.md').split(/^## /m);

it('has a section of docs/runbooks.md for each alert, and none for others', () => {
  expect(sections.map((section) => section.split('\n')[0])).toEqual(alerts.map(({ alert }) => alert));
});

it.each(alerts)(
  'leads from $alert to its section, which says all that is needed',
  ({ alert, annotations }) => {
    expect(annotations.runbook).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
    const section = sections.find((each) => each.startsWith(`${alert}\n`)) ?? '';
    const parts = Array.from(section.matchAll(/^- \*\*(.+):\*\*/gm), ([, part]) => part);
    expect(parts).toEqual(['Means', 'Users see', 'Look at', 'Do', 'Over when']);
  },
);

it('names only panels of the dashboard in docs/runbooks.md', () => {
  const named = Array.from(read('docs/runbooks.md').matchAll(/"([A-Z][^"]+)"/g), ([, title]) => title);
  expect(named.length).toBeGreaterThan(0);
  const titles = panels.map(({ title }) => title);
  expect(named.filter((title) => !titles.includes(title as string))).toEqual([]);
});

it('tells Grafana how often Prometheus scrapes', () => {
  const { global } = parse(read('deploy/monitoring/prometheus.yml'));
  const { datasources } = parse(read('deploy/monitoring/grafana/datasources/prometheus.yml'));
  expect(datasources[0].jsonData.timeInterval).toBe(global.scrape_interval);
});
