import { Button, Checkbox, Group, Stack, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { applicationsQuery } from '../../api/applications.ts';
import { ApiFailure } from '../../api/failure.ts';
import { queryClient } from '../../api/query-client.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { words } from '../../words/en.ts';
import { CheckResult } from './check-result.tsx';
import { createApplication } from './create-application.ts';
import { FieldTable } from './field-table.tsx';
import { SampleInput } from './sample-input.tsx';
import { SchemaText } from './schema-text.tsx';
import { useDraft } from './use-draft.ts';

/** From a sample to an application: paste, decide, create. */
export function Page() {
  const draft = useDraft();
  const { rows, problems, field, checked, edited } = draft;
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [keyRequired, setKeyRequired] = useState(false);
  const create = useMutation({
    mutationFn: () => createApplication({ name, schema: draft.schemaText, keyRequired }),
    onSuccess: ({ domain, key }) => {
      void queryClient.invalidateQueries(applicationsQuery);
      navigate(`/applications/${domain}/start`, { state: { payload: rows[0]?.value, key } });
    },
  });
  // Where there are rows, the check below lists all that is wrong.
  const [problem] = rows.length === 0 ? problems : [];
  const failure = create.error instanceof ApiFailure ? create.error : undefined;
  const hasSchema = rows.length > 0 || edited !== undefined;

  function submit(event: FormEvent) {
    event.preventDefault();
    create.mutate();
  }

  return (
    <form onSubmit={submit}>
      <PageTitle title={words.create.title} />
      <Stack gap="lg">
        <SampleInput
          text={draft.text}
          onText={draft.setText}
          error={problem && words.create.unreadable(problem.row, problem.message)}
        />
        {!hasSchema && (
          <Group>
            <Button variant="subtle" onClick={draft.writeByHand}>
              {words.create.writeByHand}
            </Button>
          </Group>
        )}
        {rows.length > 0 && edited === undefined && (
          <section aria-label={words.create.fields}>
            <Title order={2} size="h4">
              {words.create.fields}
            </Title>
            <FieldTable field={field} choices={draft.choices} onChoices={draft.setChoices} />
          </section>
        )}
        {hasSchema && (
          <>
            <CheckResult rows={rows.length} {...checked} />
            <details open={edited !== undefined}>
              <summary>{words.create.showSchema}</summary>
              <SchemaText
                text={draft.schemaText}
                isEdited={edited !== undefined}
                onText={draft.setEdited}
                onReset={() => draft.setEdited(undefined)}
              />
            </details>
            <TextInput
              label={words.create.name}
              placeholder={words.create.namePlaceholder}
              required
              maxLength={100}
              value={name}
              error={failure?.ofField('name')}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
            />
            <Checkbox
              label={words.create.keyRequired}
              description={words.create.keyRequiredText}
              checked={keyRequired}
              onChange={({ currentTarget }) => setKeyRequired(currentTarget.checked)}
            />
            {create.error && !failure?.ofField('name') && <ErrorAlert error={create.error} />}
            <Group>
              <Button type="submit" loading={create.isPending}>
                {words.create.submit}
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </form>
  );
}
