import { Button, Group, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { client, dataOf } from '../../api/client.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { Section } from './section.tsx';

/** Deletes the application, once its domain is typed. */
export function Deletion() {
  const { domain } = useApplication();
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => dataOf(client.DELETE('/api/applications/{domain}', { params: { path: { domain } } })),
    onSuccess: async ({ message }) => {
      await navigate('/applications');
      showSuccess(message);
      queryClient.removeQueries({ queryKey: ['applications', domain] });
      await queryClient.invalidateQueries({ queryKey: ['applications'] });
    },
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    remove.mutate();
  }

  return (
    <Section title={words.access.deletion} text={words.access.deletionText}>
      <Group component="form" onSubmit={submit} align="flex-end">
        <TextInput
          label={words.access.typeDomain(domain)}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
        />
        <Button type="submit" color="red" disabled={typed !== domain} loading={remove.isPending}>
          {words.access.deleteApplication}
        </Button>
      </Group>
      {remove.error && <ErrorAlert error={remove.error} />}
    </Section>
  );
}
