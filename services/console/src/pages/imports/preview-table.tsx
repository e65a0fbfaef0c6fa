import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { WideTable } from '../../components/wide-table.tsx';
import { words } from '../../words/en.ts';
import { isCompressed } from './file-type.ts';
import { readPreview } from './preview.ts';

/** The first rows of a file before it is sent, with the types of what is in them. */
export function PreviewTable({ file }: { file: File }) {
  const { name, size, lastModified } = file;
  const { data: preview, error } = useQuery({
    queryKey: ['preview', name, size, lastModified],
    queryFn: () => readPreview(file),
    enabled: !isCompressed(name),
  });
  if (isCompressed(name) || error) return <Text size="sm">{words.imports.noPreview}</Text>;
  if (!preview) return null;
  const { problem } = preview;
  if (problem) return <Text size="sm">{words.imports.problem(problem.row, problem.message)}</Text>;
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
