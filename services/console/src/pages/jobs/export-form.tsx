import { Anchor, Checkbox, Group, NativeSelect, Stack, TagsInput, Text } from '@mantine/core';
import { columnsOf } from '@sluice/tables/columns.ts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { choicesOf } from '../../components/choices.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { submits } from '../../components/submits.ts';
import { jobsQuery } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { toFilter } from '../entries/conditions.ts';
import { toQuery } from '../entries/entries-query.ts';
import { fieldsOf } from '../entries/fields.ts';
import { saySelection } from '../entries/selection-text.ts';
import { toParams, toView } from '../entries/view.ts';
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
}

/** Asks for an export of what the address selects, as on the page of entries. The list below shows it. */
export function ExportForm() {
  const { domain, template } = useApplication();
  const [search] = useSearchParams();
  const view = useMemo(() => toView(search), [search]);
  const fields = useMemo(() => fieldsOf(template.schema as Record<string, unknown>), [template]);
  const names = view.columns?.map((pointer) => fields.fieldAt(pointer).name);
  const [choices, setChoices] = useState({ ...noChoices, columns: names ? ['createdAt', ...names] : [] });
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => {
      const selection = toQuery({ ...view, filter: toFilter(view.conditions, fields) });
      // The API takes a filter as text too, which the types of the console do not tell.
      const body = { ...toExportRequest(choices), ...selection } as Schemas['ExportRequest'];
      return dataOf(
        client.POST('/api/applications/{domain}/exports', { params: { path: { domain } }, body }),
      );
    },
  });
  const shared: ChoiceProps = {
    choices,
    choose: (some) => setChoices((before) => ({ ...before, ...some })),
  };
  return (
    <Stack component="form" onSubmit={submits(() => mutate())}>
      <Text size="sm">
        {saySelection(view, fields)}{' '}
        <Anchor underline="always" component={Link} to={`/applications/${domain}/entries?${toParams(view)}`}>
          {words.exports.select}
        </Anchor>
      </Text>
      <MainOptions {...shared} />
      <MoreOptions {...shared} />
      {error && <ErrorAlert error={error} />}
      <Group>
        <SubmitButton loading={isPending}>{words.exports.submit}</SubmitButton>
      </Group>
    </Stack>
  );
}

function MainOptions({ choices, choose }: ChoiceProps) {
  const columns = useColumns();
  return (
    <>
      <NativeSelect
        maw={240}
        label={words.exports.format}
        data={choicesOf(words.exports.formats)}
        value={choices.format}
        onChange={(event) => choose({ format: event.currentTarget.value as ExportChoices['format'] })}
      />
      <TagsInput
        label={words.exports.columns}
        description={words.exports.columnsHint}
        data={columns}
        limit={100}
        value={choices.columns}
        onChange={(chosen) => choose({ columns: chosen })}
        disabled={choices.format === 'csv' && choices.arrays === 'rows'}
        splitChars={[]}
        clearable
        clearButtonProps={{ 'aria-label': words.exports.clearColumns }}
      />
    </>
  );
}

function MoreOptions({ choices, choose }: ChoiceProps) {
  const { format, arrays, meta, escapesFormulas } = choices;
  return (
    <details>
      <summary>{words.exports.more}</summary>
      <Stack mt="sm">
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
