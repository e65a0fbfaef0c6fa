import { Group, Paper, Stack, type StackProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Unread } from './loading.tsx';

export const Cards = (props: StackProps & { 'aria-label'?: string }) => (
  <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }} {...props} />
);

interface ListProps<T> {
  query: { data: T[] | undefined; error: Error | null; refetch: () => unknown };
  empty?: ReactNode;
  /** The card of one, with a key. */
  children: (one: T) => ReactNode;
}

/** What a query found, each in a card. */
export function CardList<T>({ query: { data, error, refetch }, empty, children }: ListProps<T>) {
  if (error || !data) return <Unread error={error} retry={refetch} />;
  if (data.length === 0) return empty;
  return <Cards>{data.map(children)}</Cards>;
}

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
