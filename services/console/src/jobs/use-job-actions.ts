import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client, dataOf } from '../api/client.ts';
import { showFailure } from '../components/toasts.ts';
import { type Jobs, jobsQuery } from './jobs.ts';

/** What can be done with a job; the list shows the outcome. */
export function useJobActions(domain: string, jobs: Jobs, id: string) {
  const queryClient = useQueryClient();
  const request = { params: { path: { domain, id } } };
  const shared = {
    onError: showFailure,
    onSettled: () => queryClient.invalidateQueries({ queryKey: jobsQuery(domain, jobs).queryKey }),
  };
  const remove = useMutation({
    mutationFn: () => dataOf(client.DELETE(`/api/applications/{domain}/${jobs}/{id}`, request)),
    ...shared,
  });
  const retry = useMutation({
    mutationFn: () => dataOf(client.POST(`/api/applications/{domain}/${jobs}/{id}/retry`, request)),
    ...shared,
  });
  return { remove, retry };
}
