import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { WideTable } from '../../components/wide-table.tsx';
import { words } from '../../words/en.ts';
import { isCompressed } from './file-type.ts';
import { type Preview, readPreview } from './preview.ts';

const mostProblems = 5;

/** The first rows of a file before it is sent, with the types of their cells, and the rows that will be refused. */
export function PreviewTable({ file }: { file: File }) {
  const { name, size, lastModified } = file;
  const { data: preview, error } = useQuery({
    queryKey: ['preview', name, size, lastModified],
    queryFn: () => readPreview(file),
    enabled: !isCompressed(name),
  });
  if (isCompressed(name) || error) return <Text size="sm">{words.imports.noPreview}</Text>;
  if (!preview) return null;
  return (
    <>
      {preview.rows.length > 0 && <Rows preview={preview} />}
      <Problems problems={preview.problems} />
    </>
  );
}

function Problems({ problems }: Pick<Preview, 'problems'>) {
  const more = problems.length - mostProblems;
  return (
    <>
      {problems.slice(0, mostProblems).map(({ row, message }) => (
        <Text key={row} size="sm">
          {words.imports.problem(row, message)}
        </Text>
      ))}
      {more > 0 && <Text size="sm">{words.imports.moreProblems(more)}</Text>}
    </>
  );
}

function Rows({ preview }: { preview: Preview }) {
  return (
    <WideTable label={words.imports.preview}>
      <Table.Thead>
        <Table.Tr>
          {preview.columns.map(({ name, type }) => (
            <Table.Th key={name}>
              <Stack gap={0}>
                {name}
                <Text size="xs">{type}</Text>
              </Stack>
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {preview.rows.map(({ number, cells }) => (
          <Table.Tr key={number}>
            {preview.columns.map(({ name }, place) => (
              <Table.Td key={name}>{cells[place]?.slice(0, 100)}</Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
