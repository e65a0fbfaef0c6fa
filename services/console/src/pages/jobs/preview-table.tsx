import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { WideTable } from '../../components/wide-table.tsx';
import { words } from '../../words/en.ts';
import { isCompressed, readPreview } from './preview.ts';

const mostProblems = 5;

/** The first rows of a file before it is sent, the types of its columns, and the rows that will be refused. */
export function PreviewTable({ file }: { file: File }) {
  const { name, size, lastModified } = file;
  const { data, error } = useQuery({
    queryKey: ['preview', name, size, lastModified],
    queryFn: () => readPreview(file),
    enabled: !isCompressed(name),
  });
  if (isCompressed(name) || error) return <Text size="sm">{words.imports.noPreview}</Text>;
  if (!data) return null;
  const { columns, rows, problems } = data;
  const more = problems.length - mostProblems;
  return (
    <>
      {rows.length > 0 && (
        <WideTable
          label={words.imports.preview}
          head={columns.map(({ name, type }) => (
            <Stack key={name} gap={0}>
              {name}
              <Text size="xs">{type}</Text>
            </Stack>
          ))}
          rows={rows.map(({ number, cells }) => ({
            key: number,
            cells: cells.map((cell) => cell.slice(0, 100)),
          }))}
        />
      )}
      {problems.slice(0, mostProblems).map(({ row, message }) => (
        <Text key={row} size="sm">
          {words.imports.problem(row, message)}
        </Text>
      ))}
      {more > 0 && <Text size="sm">{words.imports.moreProblems(more)}</Text>}
    </>
  );
}
