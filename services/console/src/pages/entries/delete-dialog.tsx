import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { ConfirmDialog } from '../../components/confirm-button.tsx';
import { showFailure } from '../../components/toasts.ts';
import { type Job, jobsQuery } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { type Selection, toQuery } from './entries-query.ts';

type Count = Schemas['DeletionCount'];

interface Props {
  selection: Selection;
  /** The selection in words. */
  said: string;
  close: () => void;
}

/** Counts what the toolbar selects, and deletes it if that is right. */
export function DeleteDialog({ selection, said, close }: Props) {
  const { domain } = useApplication();
  // Both requests have the same bounds: what comes while the user reads is not deleted.
  const [body] = useState(() => {
    const query = toQuery(selection);
    return { ...query, to: query.to ?? new Date().toISOString() } as Schemas['DeletionRequest'];
  });
  const ask = (query: { dry_run?: true }) => {
    const params = { path: { domain }, query };
    return dataOf<Count | Job>(client.POST('/api/applications/{domain}/deletions', { params, body }));
  };
  const { data, error } = useQuery({
    queryKey: ['deletions', domain, 'count', body],
    queryFn: async () => (await ask({ dry_run: true })) as Count,
  });
  const remove = useMutation({
    mutationFn: async () => (await ask({})) as Job,
    onSuccess: (job) =>
      queryClient.setQueryData(jobsQuery(domain, 'deletions').queryKey, (jobs) => [job, ...(jobs ?? [])]),
    onError: showFailure,
  });
  return (
    <ConfirmDialog
      opened
      close={close}
      title={words.entries.deleteThese}
      question={data ? words.entries.deleteCount(data.count, said) : (error?.message ?? words.common.loading)}
      label={words.entries.deleteEntries(data?.count ?? 0)}
      color="red"
      onConfirm={data && data.count > 0 ? () => remove.mutate() : undefined}
    />
  );
}
