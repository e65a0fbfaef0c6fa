import { Anchor, Checkbox, Group, Stack, TagsInput, Text } from '@mantine/core';
import { columnsOf } from '@sluice/tables/columns.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { client, dataOf, read, type Schemas } from '../../api/client.ts';
import { Choice } from '../../components/choice.tsx';
import { Form } from '../../components/form.tsx';
import { jobsQuery } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { toFilter } from '../entries/conditions.ts';
import { toQuery } from '../entries/entries-query.ts';
import { fieldsOf } from '../entries/fields.ts';
import { saySelection } from '../entries/selection-text.ts';
import { UnreadFilters } from '../entries/unread-filters.tsx';
import { toParams, toView } from '../entries/view.ts';
import { type ExportChoices, noChoices, toExportRequest } from './export-request.ts';

/** Columns of an export that no entry has: the rest, and those of the tables in a ZIP. */
const isOfFile = (name: string) => /^_extra_*$|^[\w.-]+\.csv:/.test(name);

/** Names of columns to choose from: those of the schema, and those that the latest export found in entries. */
function useColumns(): string[] {
  const { domain, template } = useApplication();
  const { data: jobs } = useQuery(jobsQuery(domain, 'exports'));
  const id = jobs?.find(({ state }) => state === 'completed')?.id ?? '';
  const { data: latest } = useQuery({
    ...read('/api/applications/{domain}/exports/{id}', { path: { domain, id } }),
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
  const create = () => {
    const params = { path: { domain } };
    const selection = toQuery({ ...view, filter: toFilter(view.conditions, fields) });
    // The API takes a filter as text too, which the types of the console do not tell.
    const body = { ...toExportRequest(choices), ...selection } as Schemas['ExportRequest'];
    return dataOf(client.POST('/api/applications/{domain}/exports', { params, body }));
  };
  const shared: ChoiceProps = {
    choices,
    choose: (some) => setChoices((before) => ({ ...before, ...some })),
  };
  return (
    <Form act={create} submit={words.exports.submit} disabled={view.unread.length > 0}>
      <Text>
        {saySelection(view, fields)}{' '}
        <Anchor underline="always" component={Link} to={`/applications/${domain}/entries?${toParams(view)}`}>
          {words.exports.select}
        </Anchor>
      </Text>
      <UnreadFilters unread={view.unread} />
      <MainOptions {...shared} />
      <MoreOptions {...shared} />
    </Form>
  );
}

function MainOptions({ choices, choose }: ChoiceProps) {
  const columns = useColumns();
  return (
    <>
      <Choice
        maw={240}
        label={words.exports.format}
        labels={words.exports.formats}
        value={choices.format}
        onChoice={(format) => choose({ format })}
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
            <Choice
              label={words.exports.arrays}
              labels={words.exports.arrayChoices}
              value={arrays}
              onChoice={(chosen) => choose({ arrays: chosen })}
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
