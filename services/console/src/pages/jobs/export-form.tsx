import { Checkbox, Group, NativeSelect, SimpleGrid, Stack, TagsInput, TextInput } from '@mantine/core';
import { columnsOf } from '@sluice/tables/columns.ts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, dataOf } from '../../api/client.ts';
import { faultAt } from '../../api/failure.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { choicesOf } from '../../components/choices.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { submits } from '../../components/submits.ts';
import { jobsQuery } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { type ExportChoices, noChoices, toExportRequest } from './export-request.ts';

/** Columns of an export that no entry has: the rest, and those of the tables in a ZIP. */
const isOfFile = (name: string) => /^_extra_*$|^[\w.-]+\.csv:/.test(name);

/** Names of columns to choose from: those of the schema, and those that the latest export found in entries. */
function useColumns(): string[] {
  const { domain, template } = useApplication();
  const { data: jobs } = useQuery(jobsQuery(domain, 'exports'));
  const id = jobs?.find(({ state }) => state === 'completed')?.id ?? '';
  const params = { path: { domain, id } };
  const { data: latest } = useQuery({
    queryKey: ['jobs', domain, 'exports', id],
    queryFn: ({ signal }) =>
      dataOf(client.GET('/api/applications/{domain}/exports/{id}', { params, signal })),
    enabled: id !== '',
  });
  const declared = columnsOf(template.schema as Record<string, unknown>, []).map(({ name }) => name);
  const found = latest?.columns?.filter((name) => !isOfFile(name)) ?? [];
  return [...new Set([...declared, ...found])];
}

interface ChoiceProps {
  choices: ExportChoices;
  choose: (some: Partial<ExportChoices>) => void;
  errorAt: (field: 'from' | 'to' | 'columns' | 'filter') => string | undefined;
}

/** Asks for an export, which the list below the form shows. */
export function ExportForm() {
  const { domain } = useApplication();
  const params = { path: { domain } };
  const [choices, setChoices] = useState(noChoices);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      dataOf(client.POST('/api/applications/{domain}/exports', { params, body: toExportRequest(choices) })),
  });
  const shared: ChoiceProps = {
    choices,
    choose: (some) => setChoices((before) => ({ ...before, ...some })),
    errorAt: (field) => faultAt(error, `/${field}`),
  };
  const isShownAtField = (['from', 'to', 'columns', 'filter'] as const).some(shared.errorAt);
  return (
    <Stack component="form" onSubmit={submits(() => mutate())}>
      <MainOptions {...shared} />
      <MoreOptions {...shared} />
      {error && !isShownAtField && <ErrorAlert error={error} />}
      <Group>
        <SubmitButton loading={isPending}>{words.exports.submit}</SubmitButton>
      </Group>
    </Stack>
  );
}

function MainOptions({ choices, choose, errorAt }: ChoiceProps) {
  const columns = useColumns();
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <NativeSelect
          label={words.exports.format}
          data={choicesOf(words.exports.formats)}
          value={choices.format}
          onChange={(event) => choose({ format: event.currentTarget.value as ExportChoices['format'] })}
        />
        {(['from', 'to'] as const).map((bound) => (
          <TextInput
            key={bound}
            type="datetime-local"
            label={words.exports[bound]}
            value={choices[bound]}
            onChange={(event) => choose({ [bound]: event.currentTarget.value })}
            error={errorAt(bound)}
          />
        ))}
      </SimpleGrid>
      <TagsInput
        label={words.exports.columns}
        description={words.exports.columnsHint}
        data={columns}
        limit={100}
        value={choices.columns}
        onChange={(chosen) => choose({ columns: chosen })}
        disabled={choices.format === 'csv' && choices.arrays === 'rows'}
        error={errorAt('columns')}
        splitChars={[]}
        clearable
        clearButtonProps={{ 'aria-label': words.exports.clearColumns }}
      />
    </>
  );
}

function MoreOptions({ choices, choose, errorAt }: ChoiceProps) {
  const { format, arrays, meta, escapesFormulas, filter } = choices;
  return (
    <details>
      <summary>{words.exports.more}</summary>
      <Stack mt="sm">
        <TextInput
          label={words.exports.filter}
          description={words.exports.filterHint}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={filter}
          onChange={(event) => choose({ filter: event.currentTarget.value })}
          error={errorAt('filter')}
        />
        <Checkbox.Group
          label={words.exports.meta}
          value={meta}
          onChange={(chosen) => choose({ meta: chosen })}
        >
          <Group mt={4}>
            <Checkbox value="id" label={words.exports.metaId} />
            <Checkbox value="schema_version" label={words.exports.metaVersion} />
          </Group>
        </Checkbox.Group>
        {format === 'csv' && (
          <>
            <NativeSelect
              label={words.exports.arrays}
              data={choicesOf(words.exports.arrayChoices)}
              value={arrays}
              onChange={(event) => choose({ arrays: event.currentTarget.value as ExportChoices['arrays'] })}
            />
            <Checkbox
              label={words.exports.formulas}
              checked={escapesFormulas}
              onChange={(event) => choose({ escapesFormulas: event.currentTarget.checked })}
            />
          </>
        )}
      </Stack>
    </details>
  );
}
