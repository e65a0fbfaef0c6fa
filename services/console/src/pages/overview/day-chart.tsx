import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatHour, formatNumber } from '../../components/formats.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { type HourCount, hoursOfDay, hoursOfWeek, sumSteps } from './day.ts';
import { ratesQuery } from './queries.ts';

const height = 100;

/** The hours of a day above the same hours a week ago. */
export function DayChart() {
  const { data } = useQuery(ratesQuery(useApplication().domain));
  if (!data) return <div className="day-chart" />;
  const day = data.hours.slice(-hoursOfDay);
  const before = data.hours.slice(-hoursOfDay - hoursOfWeek, -hoursOfWeek).map(({ accepted }) => accepted);
  const most = Math.max(
    0,
    ...before,
    ...day.map((step) => sumSteps([step])).map((sum) => sum.accepted + sum.refused + sum.lost),
  );
  return (
    <figure className="day-chart">
      <Text component="figcaption" size="xs" c="dimmed" mb={4}>
        {words.overview.chart}
      </Text>
      <Text size="xs" c="dimmed" aria-hidden>
        {formatNumber(most)}
      </Text>
      <Bars day={day} before={before} most={most} />
      <div className="hours" aria-hidden>
        {day.map(({ at }, hour) => (
          <span key={at}>{hour % 6 === 0 && formatHour(Date.parse(at))}</span>
        ))}
      </div>
    </figure>
  );
}

function Bars({ day, before, most }: { day: HourCount[]; before: number[]; most: number }) {
  const scale = (height - 2) / Math.max(most, 1);
  const total = sumSteps(day);
  return (
    <svg
      role="img"
      aria-label={words.overview.sums(total.accepted, total.refused, total.lost)}
      viewBox={`0 0 ${day.length} ${height}`}
      preserveAspectRatio="none"
    >
      {day.map((step, hour) => {
        const { accepted, refused, lost } = sumSteps([step]);
        const parts = [
          ['accepted', accepted, 0],
          ['refused', refused, accepted],
          ['lost', lost, accepted + refused],
        ] as const;
        return (
          <g key={step.at}>
            <title>
              {formatHour(Date.parse(step.at))}: {words.overview.sums(accepted, refused, lost)}
            </title>
            <rect className="hour" x={hour} width={1} height={height} />
            {parts.map(([kind, count, base]) => {
              const size = count && Math.max(count * scale, 1);
              const y = height - base * scale - size;
              return <rect key={kind} className={kind} x={hour + 0.08} y={y} width={0.84} height={size} />;
            })}
          </g>
        );
      })}
      <path
        className="before"
        d={before.map((count, hour) => `M${hour},${height - count * scale}h1`).join('')}
      />
    </svg>
  );
}
