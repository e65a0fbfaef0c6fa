import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, type Schemas } from '../../api/client.ts';
import { exactDataOf, unshared } from '../../json/exact.ts';

export type RefusedGroup = Schemas['RefusedGroup'];
export type RefusedUpload = Schemas['RefusedUpload'];
/** What the uploads of a group have in common. */
export type Reason = Pick<RefusedGroup, 'path' | 'keyword'>;

const refreshMs = 5_000;
const pageSize = 20;

/** For all that is read of refused uploads. */
export const refusedKey = (domain: string) => ['refused', domain];

/** Reasons, most frequent first. */
export const groupsQuery = (domain: string) =>
  queryOptions({
    queryKey: [...refusedKey(domain), 'groups'],
    queryFn: ({ signal }) =>
      exactDataOf<RefusedGroup[]>(
        client.GET('/api/applications/{domain}/refused/groups', {
          params: { path: { domain } },
          parseAs: 'text',
          signal,
        }),
      ),
    refetchInterval: refreshMs,
    ...unshared,
  });

/** The uploads of a group that are kept, newest first. */
export const uploadsQuery = (domain: string, { path, keyword }: Reason) =>
  infiniteQueryOptions({
    queryKey: [...refusedKey(domain), 'uploads', path, keyword],
    queryFn: ({ pageParam, signal }) =>
      exactDataOf<Schemas['RefusedPage']>(
        client.GET('/api/applications/{domain}/refused', {
          params: {
            path: { domain },
            query: { path, keyword, limit: pageSize, ...(pageParam && { after: pageParam }) },
          },
          parseAs: 'text',
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ pagination: { isLast, cursor } }) => (isLast ? undefined : cursor),
    ...unshared,
  });
