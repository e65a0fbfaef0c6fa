import { Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

export function Section({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  const id = useId();
  return (
    <Stack component="section" aria-labelledby={id} gap="sm">
      <Title order={2} id={id}>
        {title}
      </Title>
      {text && <Text size="sm">{text}</Text>}
      {children}
    </Stack>
  );
}
