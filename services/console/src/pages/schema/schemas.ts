import { queryOptions } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from '../../api/client.ts';

export type SchemaVersion = Schemas['SchemaVersion'];
export type SchemaChange = Schemas['SchemaChange'];

/** Newest first. */
export const versionsQuery = (domain: string) =>
  queryOptions({
    queryKey: ['schemas', domain],
    queryFn: ({ signal }) =>
      dataOf(client.GET('/api/applications/{domain}/schemas', { params: { path: { domain } }, signal })),
  });

/** What would change if a schema came after that version. */
export const reportQuery = (domain: string, version: number, schema: string) =>
  queryOptions({
    queryKey: ['schema-report', domain, version, schema],
    queryFn: ({ signal }) =>
      dataOf(
        client.POST('/api/applications/{domain}/schemas', {
          params: { path: { domain }, query: { dry_run: true } },
          body: { schema },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
