import { queryOptions } from '@tanstack/react-query';
import { client, dataOf } from './client.ts';

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: ({ signal }) => dataOf(client.GET('/api/users/me', { signal })),
});
