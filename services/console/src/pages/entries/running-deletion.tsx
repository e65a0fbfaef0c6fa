import { Group, Progress, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { client, dataOf } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { showFailure, showSuccess } from '../../components/toasts.ts';
import { isOver, type Job, jobsQuery, sayProgress } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';

const refreshMs = 1_000;

function tellEnd({ state, result, error }: Job): void {
  if (state === 'failed') showFailure(new Error(error));
  else if (result && 'deleted' in result) showSuccess(words.entries.deleted(result.deleted));
}

/** The progress of a deletion, also after the page was left and opened again. */
export function RunningDeletion() {
  const { domain } = useApplication();
  const { data: jobs } = useQuery({
    ...jobsQuery(domain, 'deletions'),
    refetchInterval: ({ state }) => (state.data?.every(isOver) === false ? refreshMs : false),
  });
  const running = jobs?.find((job) => !isOver(job));
  const followed = useRef<string>(undefined);
  useEffect(() => {
    const ended = jobs?.find((job) => job.id === followed.current && isOver(job));
    followed.current = running?.id;
    if (!ended) return;
    tellEnd(ended);
    void queryClient.invalidateQueries({ queryKey: ['entries', domain] });
  }, [jobs, running, domain]);
  const cancel = useMutation({
    mutationFn: (id: string) =>
      dataOf(
        client.DELETE('/api/applications/{domain}/deletions/{id}', { params: { path: { domain, id } } }),
      ),
    onError: showFailure,
  });
  if (!running) return null;
  const { done, total } = running.progress;
  return (
    <Group role="status" gap="sm" wrap="nowrap">
      <Text size="sm">{words.entries.deleting(sayProgress(running))}</Text>
      <Progress
        flex={1}
        value={total > 0 ? (100 * done) / total : 0}
        animated
        aria-label={words.entries.deleteThese}
      />
      <SmallButton onClick={() => cancel.mutate(running.id)}>{words.common.cancel}</SmallButton>
    </Group>
  );
}
