import { Code, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { Loading } from '../../components/loading.tsx';
import { WideTable } from '../../components/wide-table.tsx';
import { words } from '../../words/en.ts';
import { mostLines, readReport } from './report.ts';

const sayDetail = ({ path, message }: { path: string; message: string }) => `${path} ${message}`.trim();

/** The first refused lines of an import, each with its reason. */
export function RefusedLines({ domain, id }: { domain: string; id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['report', domain, id],
    queryFn: ({ signal }) => readReport(domain, id, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <ErrorAlert error={error} onRetry={() => refetch()} />;
  if (!data) return <Loading />;
  return (
    <>
      <WideTable label={words.imports.refusedLines}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.imports.line}</Table.Th>
            <Table.Th>{words.imports.reason}</Table.Th>
            <Table.Th>{words.imports.payload}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.map(({ line, message, details = [], payload }) => (
            <Table.Tr key={line}>
              <Table.Td>{line}</Table.Td>
              <Table.Td>{details.map(sayDetail).join('; ') || message}</Table.Td>
              <Table.Td>
                <Code>{JSON.stringify(payload)?.slice(0, 200)}</Code>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
      {data.length === mostLines && <Text size="sm">{words.imports.firstLines(mostLines)}</Text>}
    </>
  );
}
