import { Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { formatNumber } from '../../components/formats.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { entriesKey, type Period } from './entries-query.ts';
import { RatesChart } from './rates-chart.tsx';
import { toSteps } from './steps.ts';

const refreshMs = 5_000;

/** Always the same: another one would draw the chart again. */
const nothing: Schemas['Stats'][] = [];

interface Props {
  period: Period;
  setPeriod: (period: Period) => void;
}

/** What was accepted and refused within the period. */
export function Rates({ period, setPeriod }: Props) {
  const { domain, createdAt } = useApplication();
  const { data, error, refetch } = useQuery({
    queryKey: [...entriesKey(domain), 'stats', period],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET('/api/applications/{domain}/stats', {
          params: { path: { domain }, query: toSteps(period, createdAt, Date.now()) },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: period.to ? false : refreshMs,
  });
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  const stats = data ?? nothing;
  const sum = (of: 'accepted' | 'refused') => stats.reduce((all, one) => all + one[of], 0);
  const summary = data
    ? words.entries.rates(formatNumber(sum('accepted')), formatNumber(sum('refused')))
    : words.common.loading;
  return (
    <>
      <Text size="sm">{summary}</Text>
      <RatesChart stats={stats} label={summary} onZoom={setPeriod} />
    </>
  );
}
