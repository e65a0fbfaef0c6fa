import { Anchor, Table } from '@mantine/core';
import type { Column } from '@sluice/tables/columns.ts';
import { columnVisibilityFeature, createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { useMemo } from 'react';
import { formatTime } from '../../components/formats.ts';
import { WideTable } from '../../components/wide-table.tsx';
import { words } from '../../words/en.ts';
import { valueAt } from './conditions.ts';
import type { Entry } from './entries-query.ts';

const features = tableFeatures({ columnVisibilityFeature });
const helper = createColumnHelper<typeof features, Entry>();

/** Of a text in a cell; the panel beside the table has all of it. */
const cellLength = 80;

function toCell(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > cellLength ? `${text.slice(0, cellLength)}…` : text;
}

interface Props {
  entries: Entry[];
  /** Those with fields of payloads. */
  columns: Column[];
  /** Names of the columns that are shown. */
  shown: string[];
  open: (entry: Entry) => void;
}

/** Entries, each with its time and the fields that are shown. */
export function EntriesTable({ entries, columns, shown, open }: Props) {
  const definitions = useMemo(
    () =>
      helper.columns([
        helper.accessor('createdAt', {
          header: words.entries.createdAt,
          cell: ({ row }) => (
            <Anchor
              component="button"
              type="button"
              fz="sm"
              ta="left"
              style={{ whiteSpace: 'nowrap' }}
              onClick={() => open(row.original)}
            >
              {formatTime(new Date(row.original.createdAt))}
            </Anchor>
          ),
        }),
        ...columns.map(({ name, pointer = '' }) =>
          helper.accessor(({ payload }) => valueAt(payload, pointer), {
            id: name,
            header: name,
            cell: ({ getValue }) => toCell(getValue()),
          }),
        ),
      ]),
    [columns, open],
  );
  const columnVisibility = Object.fromEntries(columns.map(({ name }) => [name, shown.includes(name)]));
  const table = useTable({
    features,
    columns: definitions,
    data: entries,
    getRowId: ({ id }) => id,
    state: { columnVisibility },
  });
  return (
    <WideTable label={words.entries.table}>
      <Table.Thead>
        {table.getHeaderGroups().map(({ id, headers }) => (
          <Table.Tr key={id}>
            {headers.map((header) => (
              <Table.Th key={header.id}>
                <table.FlexRender header={header} />
              </Table.Th>
            ))}
          </Table.Tr>
        ))}
      </Table.Thead>
      <Table.Tbody>
        {table.getRowModel().rows.map((row) => (
          <Table.Tr key={row.id}>
            {row.getVisibleCells().map((cell) => (
              <Table.Td key={cell.id}>
                <table.FlexRender cell={cell} />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
