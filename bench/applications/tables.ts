import type { Measured } from '../support/measure.ts';
import { megabytes } from '../support/memory.ts';
import { percentile } from '../support/statistics.ts';
import { figure, limits, ratios, spread, table } from '../support/table.ts';

/** What was measured with a number of applications. */
export interface Crowd {
  count: number;
  results: Measured[];
  /** Times of the first uploads in ms, sorted. */
  first: number[];
  memory: NodeJS.MemoryUsage;
  /** Most resident memory in bytes; undefined if the system does not report it. */
  peak: number | undefined;
}

const head = [
  ...['applications', 'answers/s', 'µs of processor time', 'p50 ms', 'p99 ms'],
  ...['first p50 ms', 'first p99 ms', 'RSS MB', 'peak RSS MB', 'heap MB'],
];

/** All numbers of applications, and the last of them beside the first and the targets. */
export function tablesOf(crowds: [Crowd, ...Crowd[]]): string {
  const [least] = crowds;
  const most = crowds.at(-1) ?? least;
  const rows = crowds.map((crowd) => [
    figure(crowd.count),
    ...[spread(of(crowd, 'rate')), spread(of(crowd, 'cpu'), 1)],
    ...[spread(of(crowd, 'p50'), 1), spread(of(crowd, 'p99'), 1)],
    ...[50, 99].map((percent) => figure(percentile(crowd.first, percent), 1)),
    megabytes(crowd.memory.rss),
    crowd.peak === undefined ? '' : megabytes(crowd.peak),
    megabytes(crowd.memory.heapUsed),
  ]);
  const against = (crowd: Crowd, key: keyof Measured) => ({
    over: of(crowd, key),
    under: of(least, key),
    name: `${names[key]}, ${figure(crowd.count)} / ${figure(least.count)}`,
  });
  return [
    table(head, rows),
    ratios(
      crowds.slice(1).flatMap((crowd) => [
        { ...against(crowd, 'rate'), ...(crowd === most && { target: { atLeast: 0.9 } }) },
        { ...against(crowd, 'p99'), ...(crowd === most && { target: { atMost: 1.5 } }) },
      ]),
    ),
    limits([
      { name: 'first upload, p99', value: percentile(most.first, 99), unit: 'ms', atMost: 20 },
      // 1 GiB.
      { name: 'peak RSS', value: most.peak && most.peak / 1e6, unit: 'MB', atMost: 1_074 },
    ]),
  ].join('\n\n');
}

const names: Partial<Record<keyof Measured, string>> = { rate: 'answers/s', p99: 'p99' };

const of = ({ results }: Crowd, key: keyof Measured) => results.map((result) => result[key]);
