import { queryOptions } from '@tanstack/react-query';
import { client, dataOf, read } from '../../api/client.ts';
import { hoursOfDay, hoursOfWeek } from './day.ts';

const hourMs = 3_600_000;
const minutesOfHour = 60;
const refetchInterval = 30_000;

/** The begin of the hour that was so many hours ago. */
const hourAgo = (hours: number) => new Date((Math.floor(Date.now() / hourMs) - hours) * hourMs).toISOString();

/** The application with what it stores. */
export const usageQuery = (domain: string) => ({
  ...read('/api/applications/{domain}', { path: { domain }, query: { bytes: true } }),
  refetchInterval,
});

/** The hours of the last eight days, the last hour, and the entries of the day a week ago. */
export const ratesQuery = (domain: string) =>
  queryOptions({
    queryKey: ['overview', domain, 'rates'],
    queryFn: async ({ signal }) => {
      const path = { domain };
      const stats = (query: { from?: string; step: 'hour' | 'minute' }) =>
        dataOf(client.GET('/api/applications/{domain}/stats', { params: { path, query }, signal }));
      const ago = (hours: number) => new Date(Date.now() - hours * hourMs).toISOString();
      const query = { from: ago(hoursOfWeek + hoursOfDay), to: ago(hoursOfWeek), limit: 1 };
      const [hours, minutes, { pagination }] = await Promise.all([
        stats({ from: hourAgo(hoursOfWeek + hoursOfDay - 1), step: 'hour' }),
        stats({ step: 'minute' }),
        dataOf(client.GET('/api/applications/{domain}/data', { params: { path, query }, signal })),
      ]);
      return { hours, minutes: minutes.slice(-minutesOfHour), weekAgo: pagination.total };
    },
    refetchInterval,
  });

/** What each key has sent in a day. */
export const byKeyQuery = (domain: string) => ({
  ...queryOptions({
    queryKey: ['overview', domain, 'by-key'],
    queryFn: ({ signal }) => {
      const query = { from: hourAgo(hoursOfDay - 1), step: 'hour' as const, by: 'key' };
      const params = { path: { domain }, query };
      return dataOf(client.GET('/api/applications/{domain}/stats', { params, signal }));
    },
  }),
  refetchInterval,
});
