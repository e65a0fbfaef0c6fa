import { Group, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { countLost, sumLost } from '../../api/losses.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { formatTime } from '../../components/formats.ts';
import { layersOf } from '../../components/layers.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { Bars, timeOf } from './bars.tsx';
import { barsQuery, type Counts } from './bars-query.ts';
import type { ListSelection } from './entries-query.ts';
import type { ListedField } from './fields.ts';
import { Legend } from './legend.tsx';
import type { PickedPeriod } from './period.ts';
import { sayPeriod } from './selection-text.ts';
import { type Stack, stackQuery, toLayers } from './stack-query.ts';

interface Props {
  selection: ListSelection;
  /** What the bars can be made of, and what they are made of. */
  fields: ListedField[];
  by: ListedField | undefined;
  setBy: (pointer: string | undefined) => void;
  setPeriod: (period: PickedPeriod) => void;
  /** Selects entries with a value, given as it is typed. */
  pick: (pointer: string, text: string) => void;
}

const sum = (counts: number[]) => counts.reduce((all, one) => all + one, 0);

/** How many uploads, or entries that a filter selects, came when. A drag over the chart sets the period. */
export function Chart({ selection, fields, by, setBy, setPeriod, pick }: Props) {
  const application = useApplication();
  const { data, error, refetch, isPlaceholderData } = useQuery(barsQuery(application, selection));
  const stack = useQuery(stackQuery(application.domain, selection, data, by?.pointer));
  const [pointed, setPointed] = useState<number>();
  const values = by && stack.data;
  const layers = useMemo(
    () =>
      values ? toLayers(values) : data ? layersOf(data.accepted, data.refused, data.lost.map(countLost)) : [],
    [values, data],
  );
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
          {pointed !== undefined && data && (values ? sayValues(values, pointed) : sayBar(data, pointed))}
        </Text>
        <NativeSelect
          size="xs"
          variant="unstyled"
          className="wide-only"
          aria-label={words.entries.by}
          value={by?.pointer ?? ''}
          onChange={({ currentTarget: { value } }) => setBy(value || undefined)}
          data={[
            { value: '', label: words.entries.byNothing },
            ...(by && !fields.includes(by) ? [by] : []).concat(fields).map(({ pointer, name }) => ({
              value: pointer,
              label: words.entries.byField(name),
            })),
          ]}
        />
      </Group>
      {by && stack.error && <ErrorAlert error={stack.error} onRetry={stack.refetch} />}
      {data ? (
        <Bars
          times={values ?? data}
          layers={layers}
          label={`${name}: ${said}`}
          pointed={pointed}
          onPoint={setPointed}
          onSelect={setPeriod}
        />
      ) : (
        <div className="no-bars" />
      )}
      {by && values && <Legend stack={values} field={by} pick={pick} />}
    </section>
  );
}

const sayBar = (counts: Counts, bar: number) =>
  words.entries.bar(
    formatTime(timeOf(counts, bar)),
    counts.accepted[bar] ?? 0,
    counts.refused[bar] ?? 0,
    sumLost(counts.lost.slice(bar, bar + 1)),
  );

const sayValues = (stack: Stack, bar: number) =>
  words.entries.barOf(
    formatTime(timeOf(stack, bar)),
    stack.parts.flatMap(({ label, counts }) => (counts[bar] ? [[label, counts[bar]] as const] : [])),
  );
