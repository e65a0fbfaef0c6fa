import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { Unread } from '../../components/loading.tsx';
import { type Job, jobsQuery } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { type Selection, toQuery } from './entries-query.ts';

interface Props {
  opened: boolean;
  close: () => void;
  selection: Selection;
  children: ReactNode;
}

/** Counts what the toolbar selects, and deletes it if that is right. */
export function DeleteDialog({ opened, close, ...props }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={words.entries.deleteThese}
      // The lock would add a style without the nonce of the page.
      lockScroll={false}
      closeButtonProps={{ 'aria-label': words.common.close }}
    >
      <Question close={close} {...props} />
    </Modal>
  );
}

function Question({ close, selection, children }: Omit<Props, 'opened'>) {
  const { domain } = useApplication();
  // Both requests have the same bounds: what comes while the user reads is not deleted.
  const [body] = useState(() => {
    const { to = new Date().toISOString(), ...query } = toQuery(selection);
    return { ...query, to } as Schemas['DeletionRequest'];
  });
  const ask = (query: { dry_run?: true }, signal?: AbortSignal) =>
    dataOf<Schemas['DeletionCount'] | Job>(
      client.POST('/api/applications/{domain}/deletions', {
        params: { path: { domain }, query },
        body,
        ...(signal && { signal }),
      }),
    );
  const { data, error, refetch } = useQuery({
    queryKey: ['deletions', domain, 'count', body],
    queryFn: async ({ signal }) => (await ask({ dry_run: true }, signal)) as Schemas['DeletionCount'],
  });
  const remove = useMutation({
    mutationFn: async () => (await ask({})) as Job,
    onSuccess: (job) => {
      queryClient.setQueryData(jobsQuery(domain, 'deletions').queryKey, (jobs) => [job, ...(jobs ?? [])]);
      close();
    },
  });
  if (!data) return <Unread error={error} retry={refetch} />;
  return (
    <Stack gap="sm">
      <Text fw={600}>{words.entries.deleteCount(data.count)}</Text>
      {children}
      <Text size="sm">{words.entries.deleteForGood}</Text>
      {remove.error && <ErrorAlert error={remove.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close} data-autofocus>
          {words.common.cancel}
        </Button>
        <Button
          color="red"
          disabled={data.count === 0}
          loading={remove.isPending}
          onClick={() => remove.mutate()}
        >
          {words.entries.deleteEntries(data.count)}
        </Button>
      </Group>
    </Stack>
  );
}
