import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { ConfirmDialog } from '../../components/confirm-button.tsx';
import { useAct } from '../../components/use-act.ts';
import { countDeletion } from '../../jobs/count-deletion.ts';
import { jobsQuery, type ListedJob } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { type ListSelection, toQuery } from './entries-query.ts';

interface Props {
  selection: ListSelection;
  /** The selection in words. */
  said: string;
  close: () => void;
  /** The deletion is under way. */
  onStarted: () => void;
}

/** Counts what the toolbar selects, and deletes it if that is right. */
export function DeleteDialog({ selection, said, close, onStarted }: Props) {
  const { domain } = useApplication();
  // Both requests have the same bounds: what comes while the user reads is not deleted.
  const [body] = useState(() => {
    const query = toQuery(selection);
    return { ...query, to: query.to ?? new Date().toISOString() } as Schemas['DeletionRequest'];
  });
  const { data: count, error } = useQuery({
    queryKey: ['deletions', domain, 'count', body],
    queryFn: () => countDeletion(domain, body),
  });
  const remove = useAct(async () => {
    const params = { path: { domain } };
    const job = await dataOf<unknown>(client.POST('/api/applications/{domain}/deletions', { params, body }));
    const { queryKey } = jobsQuery(domain, 'deletions');
    queryClient.setQueryData(queryKey, (jobs) => [job as ListedJob, ...(jobs ?? [])]);
    onStarted();
  });
  return (
    <ConfirmDialog
      opened
      close={close}
      title={words.entries.deleteThese}
      question={
        count === undefined
          ? (error?.message ?? words.common.loading)
          : words.entries.deleteCount(count, said)
      }
      label={words.entries.deleteEntries(count ?? 0)}
      color="red"
      count={count}
      onConfirm={count ? remove.mutate : undefined}
    />
  );
}
