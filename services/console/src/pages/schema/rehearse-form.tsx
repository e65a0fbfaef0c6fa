import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { client, dataOf } from '../../api/client.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { jobsQuery } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import type { Draft } from './use-draft.ts';

type Of = 'entries' | 'refused' | 'both';

/** Validates what is there with the draft, as a job. */
export function RehearseForm({ draft: { domain, text } }: { draft: Draft }) {
  const queryClient = useQueryClient();
  const [search] = useSearchParams();
  const [of, setOf] = useState<Of>(search.get('rehearse') === 'refused' ? 'refused' : 'entries');
  const rehearse = useMutation({
    mutationFn: () =>
      dataOf(
        client.POST('/api/applications/{domain}/rehearsals', {
          params: { path: { domain } },
          body: { schema: text, of },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: jobsQuery(domain, 'rehearsals').queryKey }),
  });
  return (
    <Stack gap="xs">
      <Group align="end">
        <NativeSelect
          label={words.schema.rehearseWith}
          data={words.schema.ofChoices}
          value={of}
          onChange={({ currentTarget }) => setOf(currentTarget.value as Of)}
        />
        <Button variant="default" loading={rehearse.isPending} onClick={() => rehearse.mutate()}>
          {words.schema.rehearse}
        </Button>
      </Group>
      {rehearse.error && <ErrorAlert error={rehearse.error} />}
    </Stack>
  );
}
