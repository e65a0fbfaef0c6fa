import { Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface Props {
  title: string;
  text: string;
  children: ReactNode;
}

/** A group of settings: what it is about on the left, the fields on the right. */
export function SettingsSection({ title, text, children }: Props) {
  const id = useId();
  return (
    <section className="settings-section" aria-labelledby={id}>
      <div>
        <Title order={2} id={id}>
          {title}
        </Title>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </div>
      <Stack gap="sm">{children}</Stack>
    </section>
  );
}
