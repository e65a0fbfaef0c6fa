import { queryOptions } from '@tanstack/react-query';
import { client, dataOf } from './client.ts';

const refreshMs = 10_000;

export const webhooksQuery = (domain: string) =>
  queryOptions({
    queryKey: ['webhooks', domain],
    queryFn: ({ signal }) =>
      dataOf(client.GET('/api/applications/{domain}/webhooks', { params: { path: { domain } }, signal })),
    refetchInterval: refreshMs,
  });
