import { Center, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** Replaces an empty list: says what belongs here, with an action that helps. */
export function EmptyState({ title, text, children }: { title: string; text: string; children?: ReactNode }) {
  return (
    <Center py="xl">
      <Stack align="center" gap="sm" maw={480}>
        <Title order={2}>{title}</Title>
        <Text ta="center">{text}</Text>
        {children}
      </Stack>
    </Center>
  );
}
