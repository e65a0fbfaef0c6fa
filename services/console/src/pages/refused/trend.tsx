import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { client, dataOf } from '../../api/client.ts';
import { formatHour, formatNumber } from '../../components/formats.ts';
import { words } from '../../words/en.ts';

const hourMs = 3_600_000;
const hours = 24;
const refreshMs = 10_000;

export function Trend({ domain }: { domain: string }) {
  const { data } = useQuery({
    queryKey: ['refused', domain, 'trend'],
    queryFn: ({ signal }) => {
      const query = { from: new Date(Date.now() - hours * hourMs).toISOString(), step: 'hour' as const };
      return dataOf(
        client.GET('/api/applications/{domain}/stats', { params: { path: { domain }, query }, signal }),
      );
    },
    refetchInterval: refreshMs,
  });
  if (!data) return null;
  const counts = new Map(data.map(({ at, refused }) => [Math.floor(Date.parse(at) / hourMs), refused]));
  const last = Math.floor(Date.now() / hourMs);
  const bars = Array.from({ length: hours }, (_, at) => {
    const hour = last - hours + 1 + at;
    return { at: hour * hourMs, count: counts.get(hour) ?? 0 };
  });
  const most = Math.max(...bars.map(({ count }) => count), 1);
  const summary = words.refused.lastDay(bars.reduce((sum, { count }) => sum + count, 0));
  return (
    <div className="trend" role="img" aria-label={summary}>
      <Text aria-hidden="true">{summary}</Text>
      <div aria-hidden="true">
        {bars.map(({ at, count }, place) => (
          <span key={at} title={words.refused.inHour(at, count)}>
            <span>{count > 0 && formatNumber(count)}</span>
            <span style={{ height: `${(count / most) * 2.5}rem` }} />
            <span>{place % 6 === 5 && formatHour(at)}</span>
          </span>
        ))}
      </div>
    </div>
  );
}
