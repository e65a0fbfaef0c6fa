import { queryOptions } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from '../api/client.ts';

export type Job = Schemas['Job'];

export type Jobs = 'exports' | 'imports' | 'rehearsals' | 'replays';

export const isOver = ({ state }: Job): boolean => state !== 'waiting' && state !== 'active';

const refreshMs = 3_000;

/** The jobs of an application, newest first; read again until all are over. */
export const jobsQuery = (domain: string, jobs: Jobs) =>
  queryOptions({
    queryKey: ['jobs', domain, jobs],
    queryFn: ({ signal }) =>
      dataOf(client.GET(`/api/applications/{domain}/${jobs}`, { params: { path: { domain } }, signal })),
    refetchInterval: ({ state }) => (state.data?.every(isOver) === false ? refreshMs : false),
  });
