import { Text } from '@mantine/core';
import { type PointerEvent, useMemo, useState } from 'react';
import { formatNumber, formatTime } from '../../components/formats.ts';
import { drawLayers, type Layer } from '../../components/layers.tsx';
import type { Bars as PeriodBars, PickedPeriod } from './period.ts';

const height = 120;
/** A shorter movement is a click. */
const shortestDrag = 5;

interface BarsProps {
  /** When the first bar begins, and how long each is, in ms. */
  times: Pick<PeriodBars, 'begin' | 'length' | 'count'>;
  layers: Layer[];
  label: string;
  pointed: number | undefined;
  onPoint: (bar: number | undefined) => void;
  onSelect: (period: PickedPeriod) => void;
}

export const timeOf = ({ begin, length }: BarsProps['times'], bar: number) =>
  new Date(begin + bar * length).toISOString();

/** A drag over the bars selects their period. */
export function Bars({ times, layers, label, pointed, onPoint, onSelect }: BarsProps) {
  const { count } = times;
  const [drag, setDrag] = useState<{ x: number; first: number; last: number; isLong: boolean }>();
  const { drawn, most } = useMemo(() => drawLayers(layers, height), [layers]);

  const barAt = ({ currentTarget, clientX }: PointerEvent<Element>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(Math.max(Math.floor(((clientX - left) / width) * count), 0), count - 1);
  };
  function onMove(event: PointerEvent<Element>) {
    const bar = barAt(event);
    onPoint(bar);
    const isLong = !!drag && (drag.isLong || Math.abs(event.clientX - drag.x) >= shortestDrag);
    if (drag) setDrag({ ...drag, last: bar, isLong });
  }
  const [first, last] = drag ? [drag.first, drag.last].toSorted((a, b) => a - b) : [];
  function onUp() {
    setDrag(undefined);
    if (!drag?.isLong || first === undefined || last === undefined) return;
    // A period up to now stays open: newer entries are in it too.
    onSelect({ from: timeOf(times, first), to: last === count - 1 ? undefined : timeOf(times, last + 1) });
  }
  return (
    <>
      <Text size="xs" c="dimmed" className="axis" aria-hidden>
        {formatNumber(most)}
      </Text>
      <svg
        className="bars"
        role="img"
        aria-label={label}
        viewBox={`0 0 ${count} ${height}`}
        preserveAspectRatio="none"
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const bar = barAt(event);
          setDrag({ x: event.clientX, first: bar, last: bar, isLong: false });
        }}
        onPointerMove={onMove}
        onPointerUp={onUp}
        onPointerCancel={() => setDrag(undefined)}
        onPointerLeave={() => onPoint(undefined)}
      >
        {drag?.isLong && first !== undefined && last !== undefined && (
          <rect className="dragged" x={first} width={last + 1 - first} height={height} />
        )}
        {pointed !== undefined && <rect className="pointed" x={pointed} width={1} height={height} />}
        {drawn}
      </svg>
      <Text size="xs" c="dimmed" className="axis" aria-hidden>
        <span>{formatTime(timeOf(times, 0))}</span>
        <span>{formatTime(timeOf(times, Math.floor(count / 2)))}</span>
        <span>{formatTime(timeOf(times, count))}</span>
      </Text>
    </>
  );
}
