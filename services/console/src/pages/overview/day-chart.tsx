import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatHour, formatNumber } from '../../components/formats.ts';
import { drawLayers, layersOf } from '../../components/layers.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { hoursOfDay, hoursOfWeek, type Sums, sumSteps } from './day.ts';
import { ratesQuery } from './queries.ts';

const height = 100;

/** The hours of a day above the same hours a week ago. */
export function DayChart() {
  const { data } = useQuery(ratesQuery(useApplication().domain));
  if (!data) return <div className="day-chart" />;
  const day = data.hours.slice(-hoursOfDay);
  const before = data.hours.slice(-hoursOfDay - hoursOfWeek, -hoursOfWeek).map(({ accepted }) => accepted);
  const sums = day.map((step) => sumSteps([step]));
  const layers = layersOf(
    sums.map(({ accepted }) => accepted),
    sums.map(({ refused }) => refused),
    sums.map(({ lost }) => lost),
  );
  const { drawn, most, yOf } = drawLayers(layers, height, before);
  const total = sumSteps(day);
  return (
    <figure className="day-chart">
      <Text component="figcaption" size="xs" c="dimmed" mb={4}>
        {words.overview.chart}
      </Text>
      <Text size="xs" c="dimmed" aria-hidden>
        {formatNumber(most)}
      </Text>
      <svg
        role="img"
        aria-label={words.overview.sums(total.accepted, total.refused, total.lost)}
        viewBox={`0 0 ${day.length} ${height}`}
        preserveAspectRatio="none"
      >
        {day.map(({ at }, hour) => {
          const { accepted, refused, lost } = sums[hour] as Sums;
          return (
            <rect key={at} className="hour" x={hour} width={1} height={height}>
              <title>
                {formatHour(Date.parse(at))}: {words.overview.sums(accepted, refused, lost)}
              </title>
            </rect>
          );
        })}
        {drawn}
        <path className="before" d={before.map((count, hour) => `M${hour},${yOf(count)}h1`).join('')} />
      </svg>
      <div className="hours" aria-hidden>
        {day.map(({ at }, hour) => (
          <span key={at}>{hour % 6 === 0 && formatHour(Date.parse(at))}</span>
        ))}
      </div>
    </figure>
  );
}
