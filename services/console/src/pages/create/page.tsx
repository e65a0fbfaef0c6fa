import { Alert, Button, Checkbox, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { exactJson } from '@sluice/schemas/infer/number-texts.ts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { client, dataOf } from '../../api/client.ts';
import { faultAt, RequestFailure } from '../../api/failure.ts';
import { SmallButton, SubmitButton } from '../../components/buttons.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { submits } from '../../components/form.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { Section } from '../../components/section.tsx';
import type { EditorProblem } from '../../editor/text-editor.tsx';
import { ProblemList } from '../../schema-form/problem-list.tsx';
import { SchemaEditor } from '../../schema-form/schema-editor.tsx';
import { words } from '../../words/en.ts';
import { FieldTable } from './field-table.tsx';
import { SampleInput } from './sample-input.tsx';
import { type ApplicationDraft, useDraft } from './use-draft.ts';
import { useSchemaProblems } from './use-schema-problems.ts';

/** Creates an application, and a key for its first uploads if they need one. Throws RequestFailure. */
async function createApplication(name: string, schema: string, keyRequired: boolean) {
  const body = { name, type: 'other' as const, schema };
  const { domain, warnings } = await dataOf(client.POST('/api/applications', { body }));
  if (!keyRequired) return { domain, warnings };
  const params = { path: { domain } };
  await dataOf(client.PATCH('/api/applications/{domain}', { params, body: { key_required: true } }));
  const { key } = await dataOf(
    client.POST('/api/applications/{domain}/keys', { params, body: { name: words.create.firstKey } }),
  );
  return { domain, warnings, key };
}

export function Page() {
  const draft = useDraft();
  const { rows, problems, field, edited } = draft;
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [keyRequired, setKeyRequired] = useState(false);
  const create = useMutation({
    mutationFn: () => createApplication(name, draft.schemaText, keyRequired),
    onSuccess: ({ domain, ...given }) => {
      navigate(`/applications/${domain}/send`, { state: { payload: exactJson(rows[0]?.value), ...given } });
    },
  });
  // With rows, the check below lists all problems.
  const [problem] = rows.length === 0 ? problems : [];
  const nameFault = faultAt(create.error, '/name');
  const schemaProblems = useSchemaProblems(edited);
  const isOfSchema = create.error instanceof RequestFailure && create.error.kind === 'InvalidSchemaError';
  const isTold =
    nameFault !== undefined || (isOfSchema && schemaProblems.some(({ severity }) => severity === 'error'));
  const hasSchema = rows.length > 0 || edited !== undefined;
  return (
    <form onSubmit={submits(() => create.mutate())}>
      <PageTitle title={words.create.title} />
      <Stack gap="lg">
        <SampleInput
          text={draft.text}
          onText={draft.setText}
          error={problem && words.create.fault(problem.row, '', problem.message)}
        />
        {!hasSchema && (
          <Group>
            <Button variant="transparent" px={0} onClick={draft.writeByHand}>
              {words.create.writeByHand}
            </Button>
          </Group>
        )}
        {rows.length > 0 && edited === undefined && (
          <Section title={words.create.fields} text={words.create.fieldsText(rows.length)}>
            <FieldTable
              field={field}
              choices={draft.choices}
              columns={draft.columns}
              onChoices={draft.setChoices}
            />
          </Section>
        )}
        {hasSchema && (
          <>
            <CheckResult draft={draft} />
            <SchemaText draft={draft} problems={schemaProblems} />
            <TextInput
              label={words.create.name}
              placeholder={words.create.namePlaceholder}
              required
              maxLength={100}
              value={name}
              error={nameFault}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
            />
            <Checkbox
              label={words.create.keyRequired}
              description={words.create.keyRequiredText}
              checked={keyRequired}
              onChange={({ currentTarget }) => setKeyRequired(currentTarget.checked)}
            />
            {create.error && !isTold && <ErrorAlert error={create.error} />}
            <SubmitButton loading={create.isPending}>{words.create.submit}</SubmitButton>
          </>
        )}
      </Stack>
    </form>
  );
}

function CheckResult({ draft: { rows, checked } }: { draft: ApplicationDraft }) {
  const { faults, problem } = checked;
  if (problem)
    return (
      <Alert color="red" title={words.create.schemaBroken}>
        {problem}
      </Alert>
    );
  if (rows.length === 0) return null;
  if (faults.length === 0)
    return <Alert p="xs" color="teal" role="status" title={words.create.allConform(rows.length)} />;
  return (
    <Alert color="red" role="status" title={words.create.someDoNot}>
      <List size="sm">
        {faults.map(({ row, path, message }) => (
          <List.Item key={`${row} ${path} ${message}`}>{words.create.fault(row, path, message)}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

interface SchemaProps {
  draft: ApplicationDraft;
  problems: EditorProblem[];
}

/** The schema as JSON. After a change by hand, the fields of the sample no longer decide the schema. */
function SchemaText({ draft: { rows, schemaText, edited, setEdited, steps }, problems }: SchemaProps) {
  const isEdited = edited !== undefined;
  const [isOpen, setIsOpen] = useState(isEdited);
  return (
    <details open={isEdited} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{words.create.showSchema}</summary>
      <Text my="xs">{isEdited ? words.create.schemaEdited : words.create.schemaText}</Text>
      {/* While it is hidden, the editor could not measure its lines. */}
      {isOpen && (
        <Stack gap="xs">
          <SchemaEditor
            text={schemaText}
            onText={setEdited}
            steps={steps}
            problems={problems}
            // The fields of a sample are a table already.
            firstView={rows.length > 0 ? 'json' : 'fields'}
          />
          <ProblemList problems={problems} />
        </Stack>
      )}
      {isEdited && (
        <SmallButton mt="xs" onClick={() => setEdited(undefined)}>
          {words.create.fromSample}
        </SmallButton>
      )}
    </details>
  );
}
