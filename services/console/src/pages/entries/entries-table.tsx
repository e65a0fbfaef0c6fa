import { Anchor } from '@mantine/core';
import type { Column } from '@sluice/tables/columns.ts';
import { formatTime } from '../../components/formats.ts';
import { WideTable } from '../../components/wide-table.tsx';
import { words } from '../../words/en.ts';
import { valueAt } from './conditions.ts';
import type { Entry } from './entries-query.ts';

/** Longest text in a cell; the panel beside the table shows all of it. */
const cellLength = 80;

function toCell(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > cellLength ? `${text.slice(0, cellLength)}…` : text;
}

interface Props {
  entries: Entry[];
  columns: Column[];
  open: (entry: Entry) => void;
}

export function EntriesTable({ entries, columns, open }: Props) {
  return (
    <WideTable
      label={words.entries.table}
      head={[words.entries.createdAt, ...columns.map(({ name }) => name)]}
      rows={entries.map((entry) => ({
        key: entry.id,
        cells: [
          <Anchor
            key="createdAt"
            component="button"
            type="button"
            fz="sm"
            ta="left"
            style={{ whiteSpace: 'nowrap' }}
            onClick={() => open(entry)}
          >
            {formatTime(entry.createdAt)}
          </Anchor>,
          ...columns.map(({ pointer = '' }) => toCell(valueAt(entry.payload, pointer))),
        ],
      }))}
    />
  );
}
