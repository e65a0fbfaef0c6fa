import { Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

/** A part of the page with its heading, and what it is about. */
export function Section({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  const id = useId();
  return (
    <Stack component="section" aria-labelledby={id} gap="sm" align="flex-start">
      <Title order={2} size="h4" id={id}>
        {title}
      </Title>
      <Text size="sm">{text}</Text>
      {children}
    </Stack>
  );
}
