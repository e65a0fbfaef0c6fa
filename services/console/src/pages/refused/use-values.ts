import { useQuery } from '@tanstack/react-query';
import { client, type Schemas } from '../../api/client.ts';
import { type RefusedGroup, reasonOf } from '../../api/refused.ts';
import { exactDataOf, unshared } from '../../json/exact.ts';
import { useApplication } from '../application/use-application.ts';

const refreshMs = 30_000;

/** What the kept uploads of a group have at its place, and who sent them. */
export function useValues(group: RefusedGroup) {
  const { domain } = useApplication();
  const query = { ...reasonOf(group), reason: group.reason };
  return useQuery({
    queryKey: ['refused', domain, 'values', query],
    queryFn: ({ signal }) => {
      const init = { params: { path: { domain }, query }, parseAs: 'text', signal } as const;
      return exactDataOf<Schemas['RefusedValues']>(
        client.GET('/api/applications/{domain}/refused/values', init),
      );
    },
    refetchInterval: refreshMs,
    ...unshared,
  });
}
