import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, type Schemas } from '../../api/client.ts';
import { exactDataOf, unshared } from '../../json/exact.ts';

export type RefusedGroup = Schemas['RefusedGroup'];
/** Uploads of one group share these. */
export type Reason = Pick<RefusedGroup, 'path' | 'keyword'>;

const refreshMs = 5_000;
const pageSize = 20;

export const refusedKey = (domain: string) => ['refused', domain];

/** Groups of refused uploads, the largest first. */
export const groupsQuery = (domain: string) =>
  queryOptions({
    queryKey: [...refusedKey(domain), 'groups'],
    queryFn: ({ signal }) => {
      const init = { params: { path: { domain } }, parseAs: 'text', signal } as const;
      return exactDataOf<RefusedGroup[]>(client.GET('/api/applications/{domain}/refused/groups', init));
    },
    refetchInterval: refreshMs,
    ...unshared,
  });

/** The uploads of a group that are kept, newest first. */
export const uploadsQuery = (domain: string, { path, keyword }: Reason) =>
  infiniteQueryOptions({
    queryKey: [...refusedKey(domain), 'uploads', path, keyword],
    queryFn: ({ pageParam, signal }) => {
      const query = { path, keyword, limit: pageSize, ...(pageParam && { after: pageParam }) };
      const init = { params: { path: { domain }, query }, parseAs: 'text', signal } as const;
      return exactDataOf<Schemas['RefusedPage']>(client.GET('/api/applications/{domain}/refused', init));
    },
    initialPageParam: '',
    getNextPageParam: ({ pagination: { isLast, cursor } }) => (isLast ? undefined : cursor),
    ...unshared,
  });
