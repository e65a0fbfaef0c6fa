import { useQuery } from '@tanstack/react-query';
import { client, dataOf } from '../../api/client.ts';
import { groupsQuery, type RefusedGroup } from '../../api/refused.ts';
import { useApplication } from '../application/use-application.ts';

const dayMs = 86_400_000;
/** A refused upload is kept for a year at most. */
const mostDays = 366;
const refreshMs = 60_000;

const startOfDay = (at: string | number) =>
  new Date(Math.floor(new Date(at).getTime() / dayMs) * dayMs).toISOString();

/** Above this share of uploads, a rule is more likely right than those that break it. */
const mostly = 0.9;

export interface Conforming {
  since: string;
  /** Uploads stored since then. Each conforms to the rule that the uploads of the group broke. */
  stored: number;
  /** Those and the uploads of the group. */
  all: number;
  /** So the uploads are rather wrong than the schema. */
  isUsual: boolean;
}

export function toConforming(since: string, stored: number, refused: number): Conforming {
  const all = stored + refused;
  return { since, stored, all, isUsual: stored > mostly * all };
}

/** By day, from one time to another. */
async function countStored(domain: string, from: string, to: string | undefined, signal: AbortSignal) {
  const query = { from, to, step: 'day' } as const;
  const days = client.GET('/api/applications/{domain}/stats', {
    params: { path: { domain }, query },
    signal,
  });
  return (await dataOf(days)).map(({ at, accepted }) => ({ day: startOfDay(at), accepted }));
}

const sumOf = (days: { accepted: number }[]) => days.reduce((sum, { accepted }) => sum + accepted, 0);

/**
 * How many uploads conform to the rule of a group while it is known to be in force. That is since the schema was published, or since the day
 * when an upload broke the rule before that.
 */
export function useConforming() {
  const { domain, template } = useApplication();
  const path = { domain, version: String(template.version) };
  const { data: groups } = useQuery(groupsQuery(domain));
  const first = groups?.map(({ first_at }) => startOfDay(first_at)).sort()[0];
  const { data, error } = useQuery({
    queryKey: ['stats', domain, 'conforming', template.version, first],
    queryFn: async ({ signal }) => {
      const version = client.GET('/api/applications/{domain}/schemas/{version}', {
        params: { path },
        signal,
      });
      const { createdAt } = await dataOf(version);
      const oldest = startOfDay(Date.now() - mostDays * dayMs);
      const published = [oldest, createdAt].sort().at(-1) as string;
      const [before, since] = await Promise.all([
        first !== undefined && first < published ? countStored(domain, first, published, signal) : [],
        countStored(domain, published, undefined, signal),
      ]);
      return { published, before, stored: sumOf(since) };
    },
    enabled: groups !== undefined,
    refetchInterval: refreshMs,
  });
  function conformingOf({ first_at, count }: RefusedGroup): Conforming | undefined {
    if (!data) return undefined;
    const { published, before, stored } = data;
    if (first_at >= published) return toConforming(published, stored, count);
    const since = startOfDay(first_at);
    return toConforming(since, stored + sumOf(before.filter(({ day }) => day >= since)), count);
  }
  return { conformingOf, error };
}
