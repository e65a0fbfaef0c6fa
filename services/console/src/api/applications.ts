import { queryOptions } from '@tanstack/react-query';
import { client, dataOf, read, type Schemas } from './client.ts';

export type Application = Schemas['Application'];

export type GivenRole = Application['role'];

const ranks: GivenRole[] = ['reader', 'editor', 'owner'];

/** Whether the user's role is this one or a higher one. */
export const may = ({ role }: Pick<Application, 'role'>, needed: GivenRole): boolean =>
  ranks.indexOf(role) >= ranks.indexOf(needed);

/** The user's own applications, then those that others share. */
export const applicationsQuery = queryOptions({
  queryKey: ['applications'],
  queryFn: async ({ signal }) => {
    const get = (shared: boolean) =>
      dataOf(client.GET('/api/applications', { params: { query: { shared } }, signal }));
    return (await Promise.all([get(false), get(true)])).flat();
  },
});

export const applicationQuery = (domain: string) => read('/api/applications/{domain}', { path: { domain } });
