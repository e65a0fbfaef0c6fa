import { Group, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { words } from '../../words/en.ts';
import type { QuestionAnswer } from './answer.ts';
import { chartedColumns, isByTime, pointsOf } from './chart-points.ts';
import { TextBars } from './text-bars.tsx';
import { TimeChart, type TimeStyle } from './time-chart.tsx';

/** A chart of an answer that begins with a time or a text and has a number; else nothing. */
export function AnswerChart({ answer }: { answer: QuestionAnswer }) {
  const choices = useMemo(() => chartedColumns(answer), [answer]);
  const [chosen, setChosen] = useState<number>();
  const [style, setStyle] = useState<TimeStyle>('bar');
  const column = chosen !== undefined && choices.includes(chosen) ? chosen : choices[0];
  const points = useMemo(() => (column === undefined ? [] : pointsOf(answer, column)), [answer, column]);
  if (column === undefined || points.length < 2) return null;
  const nameOf = (at: number) => answer.columns[at]?.name ?? '';
  const title = words.ask.chartOf(nameOf(column), nameOf(0));
  return (
    <section aria-label={words.ask.chart} className="answer-chart">
      <Group gap="xs">
        <Text size="xs" fw={600}>
          {title}
        </Text>
        {choices.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label={words.ask.chartColumn}
            data={choices.map((at) => ({ value: String(at), label: nameOf(at) }))}
            value={String(column)}
            onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}
          />
        )}
        {isByTime(answer) && (
          <SegmentedControl<TimeStyle>
            size="xs"
            aria-label={words.ask.chartStyle}
            data={[
              { value: 'bar', label: words.ask.chartStyles.bar },
              { value: 'line', label: words.ask.chartStyles.line },
            ]}
            value={style}
            onChange={setStyle}
          />
        )}
      </Group>
      {isByTime(answer) ? (
        <TimeChart points={points} style={style} label={title} />
      ) : (
        <TextBars points={points} />
      )}
    </section>
  );
}
