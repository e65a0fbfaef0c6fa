import { Button, type ButtonVariant, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { client, type Schemas } from '../../api/client.ts';
import { showFailure } from '../../components/toasts.ts';
import { JobItem } from '../../jobs/job-item.tsx';
import { type Job, jobsQuery } from '../../jobs/jobs.ts';
import { exactDataOf } from '../../json/exact.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';

interface Props {
  request: Schemas['ReplayRequest'];
  label: string;
  variant?: ButtonVariant;
  onStarted?: (replayId: string) => void;
}

export function ReplayButton({ request: body, label, variant, onStarted }: Props) {
  const params = { path: { domain: useApplication().domain } };
  const replay = useMutation({
    mutationFn: () =>
      exactDataOf<Job>(client.POST('/api/applications/{domain}/replays', { params, body, parseAs: 'text' })),
    onSuccess: ({ id }) => onStarted?.(id),
    onError: showFailure,
  });
  return (
    <Button variant={variant} loading={replay.isPending} onClick={() => replay.mutate()}>
      {label}
    </Button>
  );
}

export function ReplayOutcome({ job }: { job: Job }) {
  const result = job.result as Schemas['ReplayResult'] | undefined;
  if (!result) return null;
  const { stored, still_refused, repeated = 0 } = result;
  return (
    <Text size="sm">
      {words.refused.outcome(stored, still_refused)}
      {repeated > 0 && words.refused.repeated(repeated)}
    </Text>
  );
}

/** The replay that was just started, beside its group of uploads. */
export function StartedReplay({ id }: { id: string }) {
  const { domain } = useApplication();
  const { data } = useQuery(jobsQuery(domain, 'replays'));
  const job = data?.find((each) => each.id === id);
  if (!job) return null;
  return (
    <Stack component="ul" aria-label={words.refused.started} p={0} m={0} style={{ listStyle: 'none' }}>
      <JobItem jobs="replays" job={job}>
        <ReplayOutcome job={job} />
      </JobItem>
    </Stack>
  );
}
