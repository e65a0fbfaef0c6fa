import { keepPreviousData } from '@tanstack/react-query';
import { read } from '../../api/client.ts';

export const perPage = 50;
const refetchInterval = 30_000;

/** A page of applications, and one more if there is another page. */
export const pageQuery = (shared: boolean, start: number) => ({
  ...read('/api/applications', { query: { shared, start, limit: perPage + 1 } }),
  placeholderData: keepPreviousData,
  refetchInterval,
});
