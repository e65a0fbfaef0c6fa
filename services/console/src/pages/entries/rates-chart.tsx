import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import type { Schemas } from '../../api/client.ts';
import { words } from '../../words/en.ts';
import type { Period } from './entries-query.ts';

const height = 160;

const colorOf = (name: string) => getComputedStyle(document.body).getPropertyValue(`--mantine-color-${name}`);

/** For uPlot: times in seconds, then a value of each series. */
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
    // Each from the begin of its step to the next.
    ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [1], align: 1 }) }),
  });
  const isoAt = (plot: uPlot, left: number) => new Date(plot.posToVal(left, 'x') * 1_000).toISOString();
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
    hooks: {
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width > 0) onZoom({ from: isoAt(plot, left), to: isoAt(plot, left + width) });
        },
      ],
    },
  };
}

interface Props {
  stats: Schemas['Stats'][];
  /** What the chart shows, for those who do not see it. */
  label: string;
  onZoom: (period: Period) => void;
}

/** How many uploads were accepted and refused over time. A stretch that is marked with the pointer becomes the period. */
export function RatesChart({ stats, label, onZoom }: Props) {
  const { ref, width } = useElementSize();
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const scheme = useComputedColorScheme();
  const zoom = useRef(onZoom);
  zoom.current = onZoom;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are those of the scheme
  useEffect(() => {
    if (width === 0 || !box.current) return;
    const made = new uPlot(
      toOptions(width, (period) => zoom.current(period)),
      [[], [], []],
      box.current,
    );
    plot.current = made;
    return () => made.destroy();
  }, [width, scheme]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another chart gets the data again
  useEffect(() => plot.current?.setData(toData(stats)), [stats, width, scheme]);

  return (
    <div ref={ref} role="img" aria-label={label}>
      <div ref={box} style={{ minHeight: height }} />
    </div>
  );
}
