import { queryOptions } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from './client.ts';

export type Application = Schemas['Application'];

export const applicationsQuery = queryOptions({
  queryKey: ['applications'],
  queryFn: ({ signal }) => dataOf(client.GET('/api/applications', { signal })),
});

export const applicationQuery = (domain: string) =>
  queryOptions({
    queryKey: ['applications', domain],
    queryFn: ({ signal }) =>
      dataOf(client.GET('/api/applications/{domain}', { params: { path: { domain } }, signal })),
  });
