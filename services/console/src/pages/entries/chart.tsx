import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type PointerEvent, useMemo, useState } from 'react';
import { SmallButton } from '../../components/buttons.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { formatNumber, formatTime } from '../../components/formats.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { barsQuery, type Counts, countLost, sumLost } from './bars-query.ts';
import type { ListSelection } from './entries-query.ts';
import type { PickedPeriod } from './period.ts';
import { sayPeriod } from './selection-text.ts';

const height = 120;
/** A shorter movement is a click. */
const shortestDrag = 5;

interface Props {
  selection: ListSelection;
  setPeriod: (period: PickedPeriod) => void;
}

const sum = (counts: number[]) => counts.reduce((all, one) => all + one, 0);

/** How many uploads, or entries that a filter selects, came when. A drag over the chart sets the period. */
export function Chart({ selection, setPeriod }: Props) {
  const { data, error, refetch, isPlaceholderData } = useQuery(barsQuery(useApplication(), selection));
  const [pointed, setPointed] = useState<number>();
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  const isCustom = Boolean(selection.from || selection.to);
  const name = sayPeriod(selection);
  const isFiltered = selection.filter !== undefined && !data?.ignoresFilter;
  const said =
    data && !isPlaceholderData
      ? words.entries.counts(
          isFiltered
            ? words.common.entries(sum(data.accepted))
            : words.entries.uploads(sum(data.accepted), sum(data.refused), sumLost(data.lost)),
          data.length,
        )
      : words.common.loading;
  return (
    <section className="chart" aria-label={words.entries.chart}>
      <Group gap="0 0.625rem" mih={22}>
        <Text size="xs">
          <b>{name}:</b> {said}
          {data?.ignoresFilter && ` · ${words.entries.countsAll}`}
        </Text>
        {isCustom && (
          <SmallButton size="compact-xs" onClick={() => setPeriod({ from: undefined, to: undefined })}>
            {words.entries.clearPeriod}
          </SmallButton>
        )}
        <Text size="xs" c="dimmed" ml="auto" className="wide-only" style={{ whiteSpace: 'nowrap' }}>
          {data && pointed !== undefined && sayBar(data, pointed)}
        </Text>
      </Group>
      {data ? (
        <Bars
          counts={data}
          label={`${name}: ${said}`}
          pointed={pointed}
          onPoint={setPointed}
          onSelect={setPeriod}
        />
      ) : (
        <div className="no-bars" />
      )}
    </section>
  );
}

const timeOf = ({ begin, length }: Counts, bar: number) => new Date(begin + bar * length).toISOString();

const sayBar = (counts: Counts, bar: number) =>
  words.entries.bar(
    formatTime(timeOf(counts, bar)),
    counts.accepted[bar] ?? 0,
    counts.refused[bar] ?? 0,
    sumLost(counts.lost.slice(bar, bar + 1)),
  );

/** An outline of all bars: each is as high as its count, from a base on. */
const toPath = (counts: number[], base: number[], scale: number) =>
  counts
    .map((count, bar) => {
      // Of few among very many something is to be seen too.
      const size = count === 0 ? 0 : Math.max(count * scale, 1);
      return size && `M${bar + 0.08},${height - (base[bar] ?? 0) * scale}v${-size}h0.84v${size}z`;
    })
    .filter(Boolean)
    .join('');

interface BarsProps {
  counts: Counts;
  label: string;
  pointed: number | undefined;
  onPoint: (bar: number | undefined) => void;
  onSelect: (period: PickedPeriod) => void;
}

function Bars({ counts, label, pointed, onPoint, onSelect }: BarsProps) {
  const { accepted, refused, lost, count } = counts;
  const [drag, setDrag] = useState<{ x: number; first: number; last: number; isLong: boolean }>();
  const { drawn, most } = useMemo(() => {
    const judged = accepted.map((one, bar) => one + (refused[bar] ?? 0));
    const losses = lost.map(countLost);
    const most = Math.max(0, ...judged.map((one, bar) => one + (losses[bar] ?? 0)));
    const scale = (height - 2) / Math.max(1, most);
    const drawn = (
      <>
        <path className="accepted" d={toPath(accepted, [], scale)} />
        <path className="refused" d={toPath(refused, accepted, scale)} />
        <path className="lost" d={toPath(losses, judged, scale)} />
      </>
    );
    return { drawn, most };
  }, [accepted, refused, lost]);

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
    onSelect({ from: timeOf(counts, first), to: last === count - 1 ? undefined : timeOf(counts, last + 1) });
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
        <span>{formatTime(timeOf(counts, 0))}</span>
        <span>{formatTime(timeOf(counts, Math.floor(count / 2)))}</span>
        <span>{formatTime(timeOf(counts, count))}</span>
      </Text>
    </>
  );
}
