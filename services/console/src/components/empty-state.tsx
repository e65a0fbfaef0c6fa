import { Center, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** In the place of a list without items: what would be here, and the action that makes the first one. */
export function EmptyState({ title, text, children }: { title: string; text: string; children?: ReactNode }) {
  return (
    <Center py="xl">
      <Stack align="center" gap="sm" maw={480}>
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text ta="center">{text}</Text>
        {children}
      </Stack>
    </Center>
  );
}
