import { useQuery } from '@tanstack/react-query';
import { client, dataOf } from '../../api/client.ts';
import type { RefusedGroup } from '../../api/refused.ts';

const dayMs = 86_400_000;
/** A refused upload is kept for a year at most. */
const mostDays = 366;
const refreshMs = 60_000;

const dayOf = (at: string) => Math.floor(Date.parse(at) / dayMs);

/** The share of uploads that do not break the rule of a group, since the day when one did first. */
export function useFineShares(domain: string, groups: RefusedGroup[]) {
  const today = dayOf(new Date().toISOString());
  const first = Math.max(today - mostDays, Math.min(today, ...groups.map(({ first_at }) => dayOf(first_at))));
  const { data } = useQuery({
    queryKey: ['stats', domain, 'by day', first],
    queryFn: ({ signal }) => {
      const query = { from: new Date(first * dayMs).toISOString(), step: 'day' as const };
      return dataOf(
        client.GET('/api/applications/{domain}/stats', { params: { path: { domain }, query }, signal }),
      );
    },
    refetchInterval: refreshMs,
  });
  return ({ first_at, count }: RefusedGroup): number | undefined => {
    if (!data) return undefined;
    const since = dayOf(first_at);
    const stored = data.reduce((sum, { at, accepted }) => sum + (dayOf(at) >= since ? accepted : 0), 0);
    return stored / (stored + count);
  };
}
