import 'uplot/dist/uPlot.min.css';
import { Text, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import type { Period } from './entries-query.ts';
import { toSteps } from './steps.ts';

const refreshMs = 5_000;
const height = 160;

/** One array for all renders: another one would draw the chart again. */
const nothing: Schemas['Stats'][] = [];

interface Props {
  period: Period;
  setPeriod: (period: Period) => void;
}

export function Rates({ period, setPeriod }: Props) {
  const { domain, createdAt } = useApplication();
  const { data, error, refetch } = useQuery({
    queryKey: ['entries', domain, 'stats', period],
    queryFn: ({ signal }) => {
      const params = { path: { domain }, query: toSteps(period, createdAt, Date.now()) };
      return dataOf(client.GET('/api/applications/{domain}/stats', { params, signal }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: period.to ? false : refreshMs,
  });
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  const stats = data ?? nothing;
  const sum = (of: 'accepted' | 'refused') => stats.reduce((all, one) => all + one[of], 0);
  const summary = data ? words.entries.rates(sum('accepted'), sum('refused')) : words.common.loading;
  return (
    <>
      <Text size="sm">{summary}</Text>
      <RatesChart stats={stats} label={summary} onZoom={setPeriod} />
    </>
  );
}

const colorOf = (name: string) => getComputedStyle(document.body).getPropertyValue(`--mantine-color-${name}`);

/** For uPlot: times in seconds, then the values of each series. */
const toData = (stats: Schemas['Stats'][]): uPlot.AlignedData => [
  stats.map(({ at }) => Date.parse(at) / 1_000),
  stats.map(({ accepted }) => accepted),
  stats.map(({ refused }) => refused),
];

const stepOf = ([first = 0, second = first + 60]: ArrayLike<number> & Iterable<number>) => second - first;

function toOptions(width: number, onZoom: (period: Period) => void): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: colorOf('text'),
    grid: { stroke: colorOf('default-border'), width: 1 },
    ticks: { show: false },
  };
  const series = (label: string, color: string): uPlot.Series => ({
    label,
    stroke: color,
    fill: color,
    width: 0,
    points: { show: false },
    // A bar begins with its step and ends with the next one.
    ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [1], align: 1 }) }),
  });
  const isoAt = (plot: uPlot, left: number) => new Date(plot.posToVal(left, 'x') * 1_000).toISOString();
  const zoom = (plot: uPlot) => {
    const { left, width } = plot.select;
    if (width > 0) onZoom({ from: isoAt(plot, left), to: isoAt(plot, left + width) });
  };
  return {
    width,
    height,
    scales: { x: { range: (plot, first, last) => [first, last + stepOf(plot.data[0])] } },
    cursor: { drag: { x: true, y: false, setScale: false } },
    axes: [axis, { ...axis, size: 60 }],
    series: [
      { label: words.entries.time },
      series(words.entries.accepted, colorOf('teal-filled')),
      series(words.entries.refused, colorOf('red-filled')),
    ],
    hooks: { setSelect: [zoom] },
  };
}

interface ChartProps {
  stats: Schemas['Stats'][];
  label: string;
  /** Gets the period that the user marks with the pointer. */
  onZoom: (period: Period) => void;
}

function RatesChart({ stats, label, onZoom }: ChartProps) {
  const { ref, width } = useElementSize();
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const scheme = useComputedColorScheme();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are those of the scheme
  useEffect(() => {
    if (width === 0 || !box.current) return;
    const made = new uPlot(toOptions(width, onZoom), [[], [], []], box.current);
    plot.current = made;
    return () => made.destroy();
  }, [width, scheme, onZoom]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another chart gets the data again
  useEffect(() => plot.current?.setData(toData(stats)), [stats, width, scheme]);

  return (
    <div ref={ref} role="img" aria-label={label}>
      <div ref={box} style={{ minHeight: height }} />
    </div>
  );
}
