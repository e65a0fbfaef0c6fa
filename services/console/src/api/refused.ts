import { queryOptions } from '@tanstack/react-query';
import { exactDataOf, unshared } from '../json/exact.ts';
import { client, type Schemas } from './client.ts';

export type RefusedGroup = Schemas['RefusedGroup'];

/** What names a group, as requests take it: an empty property stands for none. */
export const reasonOf = ({ path, keyword, property = '' }: RefusedGroup) => ({ path, keyword, property });

const refreshMs = 5_000;

/** The groups of refused uploads, most frequent first. */
export const groupsQuery = (domain: string) =>
  queryOptions({
    queryKey: ['refused', domain, 'groups'],
    queryFn: ({ signal }) => {
      const init = { params: { path: { domain } }, parseAs: 'text', signal } as const;
      return exactDataOf<RefusedGroup[]>(client.GET('/api/applications/{domain}/refused/groups', init));
    },
    refetchInterval: refreshMs,
    ...unshared,
  });

export type GroupState = 'open' | 'resolved' | 'dismissed';

/** A group is resolved once none of its uploads is kept: they were replayed or removed, or are too old. */
export function stateOf({ kept, dismissed }: RefusedGroup): GroupState {
  if (kept === 0) return 'resolved';
  return dismissed ? 'dismissed' : 'open';
}

/** How many uploads wait to be fixed. */
export const waitingIn = (groups: RefusedGroup[]): number =>
  groups.reduce((sum, group) => sum + (stateOf(group) === 'open' ? group.kept : 0), 0);
