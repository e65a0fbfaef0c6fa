import { Button, Group, NativeSelect, SimpleGrid, Stack, TagsInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { client, dataOf } from '../../api/client.ts';
import { ApiFailure } from '../../api/failure.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { jobsQuery } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { type ExportChoices, noChoices, toExportRequest } from './export-request.ts';
import { MoreOptions } from './more-options.tsx';
import { useColumns } from './use-columns.ts';

const fields = ['from', 'to', 'columns', 'filter'];

/** Asks for an export; the list below it shows what becomes of it. */
export function ExportForm() {
  const { domain } = useApplication();
  const queryClient = useQueryClient();
  const columns = useColumns();
  const [choices, setChoices] = useState(noChoices);
  const choose = (some: Partial<ExportChoices>) => setChoices((before) => ({ ...before, ...some }));
  const create = useMutation({
    mutationFn: () =>
      dataOf(
        client.POST('/api/applications/{domain}/exports', {
          params: { path: { domain } },
          body: toExportRequest(choices),
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: jobsQuery(domain, 'exports').queryKey }),
  });
  const { error } = create;
  const errorAt = (field: string) => (error instanceof ApiFailure ? error.ofField(field) : undefined);
  const isShownAtField = fields.some((field) => errorAt(field) !== undefined);

  function submit(event: FormEvent) {
    event.preventDefault();
    create.mutate();
  }

  return (
    <Stack component="form" onSubmit={submit}>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <NativeSelect
          label={words.exports.format}
          data={words.exports.formats}
          value={choices.format}
          onChange={(event) => choose({ format: event.currentTarget.value as ExportChoices['format'] })}
        />
        <TextInput
          type="datetime-local"
          label={words.exports.from}
          value={choices.from}
          onChange={(event) => choose({ from: event.currentTarget.value })}
          error={errorAt('from')}
        />
        <TextInput
          type="datetime-local"
          label={words.exports.to}
          value={choices.to}
          onChange={(event) => choose({ to: event.currentTarget.value })}
          error={errorAt('to')}
        />
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
      <MoreOptions choices={choices} choose={choose} filterError={errorAt('filter')} />
      {error && !isShownAtField && <ErrorAlert error={error} />}
      <Group>
        <Button type="submit" loading={create.isPending}>
          {words.exports.submit}
        </Button>
      </Group>
    </Stack>
  );
}
