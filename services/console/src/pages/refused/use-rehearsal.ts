import { useQuery } from '@tanstack/react-query';
import { client, type Schemas } from '../../api/client.ts';
import { type RefusedGroup, reasonOf } from '../../api/refused.ts';
import { exactDataOf, unshared } from '../../json/exact.ts';
import { useApplication } from '../application/use-application.ts';

/** It costs the server more than a look at the groups. */
const refreshMs = 30_000;

type Mended = Pick<Schemas['ReplayRequest'], 'patch' | 'coerce' | 'schema'>;

/** What a replay of a group would store with a change. Nothing is stored. Undefined: no change is chosen. */
export function useRehearsal(group: RefusedGroup, mended: Mended | undefined) {
  const { domain, template } = useApplication();
  const body = { ...reasonOf(group), ...mended };
  return useQuery({
    queryKey: ['refused', domain, 'rehearsal', body, template.version],
    queryFn: ({ signal }) => {
      const params = { path: { domain }, query: { dry_run: true } };
      const init = { params, body, parseAs: 'text', signal } as const;
      return exactDataOf<Schemas['ReplayPairs']>(client.POST('/api/applications/{domain}/replays', init));
    },
    enabled: mended !== undefined,
    refetchInterval: refreshMs,
    ...unshared,
  });
}
