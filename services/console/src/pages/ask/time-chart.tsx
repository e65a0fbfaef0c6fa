import { Text } from '@mantine/core';
import { type PointerEvent, useMemo, useState } from 'react';
import { formatNumber } from '../../components/formats.ts';
import { words } from '../../words/en.ts';
import { type Point, placesOf } from './chart-points.ts';

export type TimeStyle = 'bar' | 'line';

const height = 160;
/** Of the whole width: a thinner bar is not seen. */
const thinnestBar = 0.002;

interface Props {
  points: Point[];
  style: TimeStyle;
  label: string;
}

/** Bars from zero, or a line between the lowest and the highest value. A null leaves a gap. */
function draw(points: Point[], style: TimeStyle) {
  const { places, width } = placesOf(points);
  const values = points.flatMap(({ value }) => value ?? []);
  const low = style === 'bar' ? Math.min(0, ...values) : Math.min(...values);
  const high = style === 'bar' ? Math.max(0, ...values) : Math.max(...values);
  const y = (value: number) => height - 1 - ((value - low) / (high - low || 1)) * (height - 2);
  const thickness = Math.max(0.84, width * thinnestBar);
  const path = points
    .map(({ value }, at) => {
      if (value === undefined) return '';
      const x = (places[at] ?? 0) + 0.5;
      if (style === 'bar') return `M${x - thickness / 2},${y(0)}V${y(value)}h${thickness}V${y(0)}z`;
      return `${points[at - 1]?.value === undefined ? 'M' : 'L'}${x},${y(value)}`;
    })
    .join('');
  return { places, width, low, high, path };
}

/** A number over time. */
export function TimeChart({ points, style, label }: Props) {
  const { places, width, low, high, path } = useMemo(() => draw(points, style), [points, style]);
  const [pointed, setPointed] = useState<Point>();
  function onMove({ currentTarget, clientX }: PointerEvent<Element>) {
    const box = currentTarget.getBoundingClientRect();
    const x = ((clientX - box.left) / box.width) * width - 0.5;
    const closest = places.reduce(
      (best, place, at) => (Math.abs(place - x) < Math.abs((places[best] ?? 0) - x) ? at : best),
      0,
    );
    setPointed(points[closest]);
  }
  const [first, last] = [points[0]?.label ?? '', points.at(-1)?.label ?? ''];
  const said = words.ask.chartSaid(label, points.length, first, last, formatNumber(low), formatNumber(high));
  return (
    <div className="time-chart">
      <Text size="xs" c="dimmed" component="div">
        <span>{formatNumber(high)}</span>
        <span>{pointed && words.ask.point(pointed.label, pointed.value)}</span>
      </Text>
      <svg
        role="img"
        aria-label={said}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        onPointerMove={onMove}
        onPointerLeave={() => setPointed(undefined)}
      >
        <path className={style} d={path} />
      </svg>
      <Text size="xs" c="dimmed" component="div">
        <span>{formatNumber(low)}</span>
      </Text>
      <Text size="xs" c="dimmed" component="div">
        <span>{first}</span>
        <span>{last}</span>
      </Text>
    </div>
  );
}
