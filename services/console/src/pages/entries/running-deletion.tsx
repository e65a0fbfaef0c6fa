import { Group, Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { client, dataOf } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { ActButton } from '../../components/buttons.tsx';
import { showFailure, showSuccess } from '../../components/toasts.ts';
import { isOver, jobsQuery, sayProgress } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';

/** The progress of a deletion, also after the page was left and opened again. */
export function RunningDeletion() {
  const { domain } = useApplication();
  const { data: jobs } = useQuery(jobsQuery(domain, 'deletions'));
  const running = jobs?.find((job) => !isOver(job));
  const followed = useRef<string>(undefined);
  useEffect(() => {
    const ended = jobs?.find((job) => job.id === followed.current && isOver(job));
    followed.current = running?.id;
    if (!ended) return;
    void queryClient.invalidateQueries({ queryKey: ['entries', domain] });
    if (ended.error) showFailure(new Error(ended.error));
    if (ended.result && 'deleted' in ended.result) showSuccess(words.entries.deleted(ended.result.deleted));
  }, [jobs, running, domain]);
  if (!running) return null;
  const request = { params: { path: { domain, id: running.id } } };
  const { done, total } = running.progress;
  return (
    <Group role="status" gap="sm" mt={6} wrap="nowrap">
      <Text>{words.entries.deleting(sayProgress(running))}</Text>
      <Progress flex={1} value={(100 * done) / (total || 1)} animated aria-label={words.jobs.progress} />
      <ActButton act={() => dataOf(client.DELETE('/api/applications/{domain}/deletions/{id}', request))}>
        {words.common.cancel}
      </ActButton>
    </Group>
  );
}
