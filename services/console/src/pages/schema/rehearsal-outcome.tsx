import { Code, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { client, type Schemas } from '../../api/client.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { formatNumber } from '../../components/formats.ts';
import { WideTable } from '../../components/wide-table.tsx';
import { DownloadButton } from '../../jobs/download-button.tsx';
import type { Job } from '../../jobs/jobs.ts';
import { exactDataOf, toText } from '../../json/exact.ts';
import { words } from '../../words/en.ts';

type Result = Schemas['RehearsalResult'];

/** What a rehearsal found. */
export function RehearsalOutcome({ domain, job }: { domain: string; job: Job }) {
  const result = job.result as Result | undefined;
  if (!result) return null;
  const { checked, conforming } = result;
  const refused = checked - conforming;
  return (
    <>
      <Text size="sm">{words.schema.outcome(formatNumber(conforming), formatNumber(checked))}</Text>
      {refused > 0 && <Groups domain={domain} id={job.id} />}
      {refused > 0 && job.file && (
        <DownloadButton
          domain={domain}
          jobs="rehearsals"
          job={job}
          label={words.schema.downloadNonConforming}
        />
      )}
    </>
  );
}

/** Lists of jobs leave them out. */
function Groups({ domain, id }: { domain: string; id: string }) {
  const { data, error } = useQuery({
    queryKey: ['rehearsal', domain, id],
    queryFn: ({ signal }) =>
      exactDataOf<Job>(
        client.GET('/api/applications/{domain}/rehearsals/{id}', {
          params: { path: { domain, id } },
          parseAs: 'text',
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <ErrorAlert error={error} />;
  const { groups = [] } = (data?.result ?? {}) as Partial<Result>;
  return (
    <WideTable label={words.schema.nonConforming}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{words.schema.path}</Table.Th>
          <Table.Th>{words.schema.keyword}</Table.Th>
          <Table.Th>{words.schema.count}</Table.Th>
          <Table.Th>{words.schema.example}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {groups.map(({ path, keyword, count, example }) => (
          <Table.Tr key={`${path} ${keyword}`}>
            <Table.Td>
              <Code>{path || '/'}</Code>
            </Table.Td>
            <Table.Td>{keyword}</Table.Td>
            <Table.Td>{formatNumber(count)}</Table.Td>
            <Table.Td>
              <Code>{toText(example).replace(/\n\s*/g, ' ').slice(0, 200)}</Code>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
