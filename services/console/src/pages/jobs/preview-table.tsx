import { Badge, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatNumber } from '../../components/formats.ts';
import { WideTable } from '../../components/wide-table.tsx';
import { unshared } from '../../json/exact.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { type FileType, type PreviewRow, readPreview } from './preview.ts';

interface Props {
  file: File;
  type: FileType;
  isWrapped: boolean;
}

const [mostGood, mostBad, mostColumns] = [5, 10, 30];

const toCell = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 100);

/** The first rows of a file before it is sent: what will be stored, beside what will be refused and why. */
export function PreviewTable({ file, type, isWrapped }: Props) {
  const { template } = useApplication();
  const { name, size, lastModified } = file;
  const { data, error } = useQuery({
    queryKey: ['preview', name, size, lastModified, type, isWrapped, template.version],
    queryFn: () => readPreview(file, { type, isWrapped, schema: template.schema as Record<string, unknown> }),
    ...unshared,
  });
  if (error) return <Text>{words.imports.noPreview}</Text>;
  if (!data) return null;
  const bad = data.filter(({ problem }) => problem !== undefined);
  const good = data.filter(({ problem }) => problem === undefined);
  const shown = [...good.slice(0, mostGood), ...bad.slice(0, mostBad)].sort((a, b) => a.row - b.row);
  const columns = [...new Set(shown.flatMap(({ value = {} }) => Object.keys(value)))].slice(0, mostColumns);
  return (
    <Stack gap="xs">
      <Text role="status">
        {words.imports.foreseen(
          formatNumber(data.length),
          formatNumber(good.length),
          formatNumber(bad.length),
        )}
      </Text>
      <WideTable
        label={words.imports.preview}
        head={[words.imports.row, words.imports.outcomeOfRow, ...columns]}
        rows={shown.map((each) => ({
          key: each.row,
          cells: [
            each.row,
            <Foreseen key="outcome" {...each} />,
            ...columns.map((column) => toCell(each.value?.[column])),
          ],
        }))}
      />
    </Stack>
  );
}

const Foreseen = ({ problem }: PreviewRow) =>
  problem === undefined ? (
    <Badge color="teal" variant="light" tt="none">
      {words.imports.willBeStored}
    </Badge>
  ) : (
    <Text inherit c="var(--mantine-color-error)" miw={180}>
      {problem}
    </Text>
  );
