import { useQuery } from '@tanstack/react-query';
import { client, dataOf } from '../../api/client.ts';
import type { RefusedGroup } from '../../api/refused.ts';
import { useApplication } from '../application/use-application.ts';

/** Above this share of uploads, a rule is more likely right than those that break it. */
const mostly = 0.9;

export interface Conforming {
  since: string;
  /** Entries since then. Each conforms to the rule that the uploads of the group broke. */
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

/** How many stored uploads conform to the rule of a group, as far as it is known to be in force. */
export function useConforming({ first_at, count }: RefusedGroup) {
  const { domain, template } = useApplication();
  const path = { domain, version: String(template.version) };
  const { data, error } = useQuery({
    queryKey: ['refused', domain, 'conforming', template.version, first_at],
    queryFn: async ({ signal }) => {
      const version = client.GET('/api/applications/{domain}/schemas/{version}', {
        params: { path },
        signal,
      });
      const { createdAt } = await dataOf(version);
      const since = createdAt < first_at ? createdAt : first_at;
      const params = { path: { domain }, query: { from: since, limit: 1 } };
      const page = await dataOf(client.GET('/api/applications/{domain}/data', { params, signal }));
      return { since, stored: page.pagination.total };
    },
  });
  return { conforming: data && toConforming(data.since, data.stored, count), error };
}
