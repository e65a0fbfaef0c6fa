import { Badge, Stack, Text } from '@mantine/core';
import { formatNumber } from '../../components/formats.ts';
import { WideTable } from '../../components/wide-table.tsx';
import { words } from '../../words/en.ts';
import type { Preview, PreviewRow } from './preview.ts';

const [mostGood, mostBad, mostColumns] = [5, 10, 30];

const toCell = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 100);

/** The first rows of a file before it is sent: what will be stored, beside what will be refused and why. */
export function PreviewTable({ rows, columns: ofCsv, unknown }: Preview) {
  const bad = rows.filter(({ problem }) => problem !== undefined);
  const good = rows.filter(({ problem }) => problem === undefined);
  const thing = ofCsv.length > 0 ? 'column' : 'field';
  const shown = [...good.slice(0, mostGood), ...bad.slice(0, mostBad)].sort((a, b) => a.row - b.row);
  const columns = [...new Set(shown.flatMap(({ value = {} }) => Object.keys(value)))].slice(0, mostColumns);
  return (
    <Stack gap="xs">
      <Text role="status">
        {words.imports.foreseen(
          formatNumber(rows.length),
          formatNumber(good.length),
          formatNumber(bad.length),
        )}
      </Text>
      {unknown.stored.length > 0 && <Text>{words.imports.storedAsTheyAre(thing, unknown.stored)}</Text>}
      {unknown.refused.length > 0 && <Text>{words.imports.notAllowed(thing, unknown.refused)}</Text>}
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
