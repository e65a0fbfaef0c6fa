import { Button, type ButtonVariant } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '../../api/client.ts';
import { showFailure } from '../../components/toasts.ts';
import { type Job, jobsQuery } from '../../jobs/jobs.ts';
import { exactDataOf } from '../../json/exact.ts';

interface Props {
  domain: string;
  request: Schemas['ReplayRequest'];
  label: string;
  variant?: ButtonVariant;
  onStarted?: (job: Job) => void;
}

/** Starts a replay, which the list of replays shows. */
export function ReplayButton({ domain, request, label, variant, onStarted }: Props) {
  const queryClient = useQueryClient();
  const replay = useMutation({
    mutationFn: () =>
      exactDataOf<Job>(
        client.POST('/api/applications/{domain}/replays', {
          params: { path: { domain } },
          body: request,
          parseAs: 'text',
        }),
      ),
    onSuccess: async (job) => {
      onStarted?.(job);
      await queryClient.invalidateQueries({ queryKey: jobsQuery(domain, 'replays').queryKey });
    },
    onError: showFailure,
  });
  return (
    <Button variant={variant} loading={replay.isPending} onClick={() => replay.mutate()}>
      {label}
    </Button>
  );
}
