import { Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { ActButton } from '../../components/buttons.tsx';
import { Choice } from '../../components/choice.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { formatNumber } from '../../components/formats.ts';
import { WideTable } from '../../components/wide-table.tsx';
import { DownloadButton } from '../../jobs/download-button.tsx';
import type { ListedJob } from '../../jobs/jobs.ts';
import { exactDataOf, toLine, unshared } from '../../json/exact.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { ByKey } from './by-key.tsx';
import type { SchemaDraft } from './use-draft.ts';

type Of = 'entries' | 'refused' | 'both';

const listId = 'rehearsals';

/** Rehearses the schema in the editor. */
export function useRehearsal({ domain, text: schema }: SchemaDraft) {
  const [search] = useSearchParams();
  const [of, setOf] = useState<Of>(search.get('rehearse') === 'refused' ? 'refused' : 'entries');
  async function start() {
    const init = { params: { path: { domain } }, body: { schema, of } };
    await dataOf(client.POST('/api/applications/{domain}/rehearsals', init));
    document.getElementById(listId)?.scrollIntoView();
  }
  return { of, setOf, start };
}

export type Rehearsal = ReturnType<typeof useRehearsal>;

export const RehearseForm = ({ rehearsal: { of, setOf, start } }: { rehearsal: Rehearsal }) => (
  <Group align="end" id={listId} className="rehearsals">
    <Choice label={words.schema.rehearseWith} labels={words.schema.ofChoices} value={of} onChoice={setOf} />
    <ActButton act={start}>{words.schema.startRehearsal}</ActButton>
  </Group>
);

type Result = Schemas['RehearsalResult'];

export function RehearsalOutcome({ job }: { job: ListedJob }) {
  const result = job.result as Result | undefined;
  if (!result) return null;
  const { checked, conforming } = result;
  return (
    <>
      <Text>{words.schema.outcome(conforming, checked)}</Text>
      {checked > conforming && <Groups id={job.id} />}
      {checked > conforming && job.file && (
        <DownloadButton jobs="rehearsals" job={job} label={words.schema.downloadNonConforming} />
      )}
    </>
  );
}

/** The groups of a rehearsal, which lists of jobs leave out. */
function Groups({ id }: { id: string }) {
  const { domain } = useApplication();
  const { data, error } = useQuery({
    queryKey: ['rehearsal', domain, id],
    queryFn: ({ signal }) => {
      const init = { params: { path: { domain, id } }, parseAs: 'text', signal } as const;
      return exactDataOf<ListedJob>(client.GET('/api/applications/{domain}/rehearsals/{id}', init));
    },
    staleTime: Number.POSITIVE_INFINITY,
    ...unshared,
  });
  if (error) return <ErrorAlert error={error} />;
  const { groups = [], by_key = [] } = (data?.result ?? {}) as Partial<Result>;
  const haveKeys = by_key.some(({ key }) => key !== null);
  return (
    <>
      {haveKeys && <ByKey counts={by_key} />}
      <WideTable
        label={words.schema.nonConforming}
        head={words.schema.groupColumns}
        rows={groups.map(({ path, keyword, property, count, example }) => ({
          key: `${path} ${keyword} ${property}`,
          cells: [
            <Code key="path">{path || '/'}</Code>,
            property === undefined ? keyword : `${keyword} ${property}`,
            formatNumber(count),
            <Code key="example">{toLine(example).slice(0, 200)}</Code>,
          ],
        }))}
      />
    </>
  );
}
