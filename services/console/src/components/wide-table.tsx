import { Box, Table, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { words } from '../words/en.ts';

interface Props {
  label: string;
  /** The column of actions is empty. */
  head: ReactNode[];
  rows: { key: string | number; cells: ReactNode[] }[];
}

/** A cell of a number, or its head. */
export const Right = ({ children }: { children: ReactNode }) => (
  <Text inherit ta="right">
    {children}
  </Text>
);

/** A table that may be wider than the page. It takes the focus, so that keys can scroll it. */
export function WideTable({ label, head, rows }: Props) {
  return (
    <Box role="group" aria-label={label} tabIndex={0} className="wide-table">
      <Table fz="sm">
        <Table.Thead>
          <Table.Tr>
            {head.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns stay in their order
              <Table.Th key={column}>
                {cell === '' ? <VisuallyHidden>{words.common.actions}</VisuallyHidden> : cell}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, cells }) => (
            <Table.Tr key={key}>
              {cells.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns stay in their order
                <Table.Td key={column}>{cell}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}
