import { Group, Paper, Stack } from '@mantine/core';
import type { ReactNode } from 'react';

export const Cards = ({ children }: { children: ReactNode }) => (
  <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
    {children}
  </Stack>
);

interface Props {
  /** What it is. */
  children: ReactNode;
  /** Buttons for what one can do with it. */
  actions: ReactNode;
  below?: ReactNode;
}

export const Card = ({ children, actions, below }: Props) => (
  <Paper component="li" withBorder p="sm">
    <Group justify="space-between">
      <Group gap="xs" miw={0}>
        {children}
      </Group>
      {actions && <Group gap="xs">{actions}</Group>}
    </Group>
    {below}
  </Paper>
);
