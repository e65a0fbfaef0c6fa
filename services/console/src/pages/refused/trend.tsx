import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { client, dataOf } from '../../api/client.ts';
import { words } from '../../words/en.ts';

const dayMs = 24 * 3_600_000;
const refreshMs = 60_000;
// In units of the drawing, which is stretched to the width of the page.
const [height, barWidth] = [40, 10];

export function Trend({ domain }: { domain: string }) {
  const { data } = useQuery({
    queryKey: ['refused', domain, 'trend'],
    queryFn: ({ signal }) => {
      const query = { from: new Date(Date.now() - dayMs).toISOString(), step: 'hour' as const };
      return dataOf(
        client.GET('/api/applications/{domain}/stats', { params: { path: { domain }, query }, signal }),
      );
    },
    refetchInterval: refreshMs,
  });
  if (!data) return null;
  const counts = data.map(({ refused }) => refused);
  const most = Math.max(...counts, 1);
  const summary = words.refused.lastDay(counts.reduce((sum, count) => sum + count, 0));
  return (
    <div>
      <Text size="sm">{summary}</Text>
      <svg
        role="img"
        aria-label={summary}
        viewBox={`0 0 ${counts.length * barWidth} ${height}`}
        preserveAspectRatio="none"
        width="100%"
        height={height}
        fill="var(--mantine-color-red-6)"
        style={{ borderBottom: '1px solid var(--mantine-color-default-border)' }}
      >
        {data.map(({ at, refused }, place) => (
          <rect
            key={at}
            x={place * barWidth}
            y={height - (refused / most) * height}
            width={barWidth - 1}
            height={(refused / most) * height}
          />
        ))}
      </svg>
    </div>
  );
}
