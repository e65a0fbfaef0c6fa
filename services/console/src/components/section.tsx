import { Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface Props {
  title: string;
  text?: string;
  /** Of settings, the title is on the left where there is room. */
  isSettings?: boolean;
  children: ReactNode;
}

export function Section({ title, text, isSettings, children }: Props) {
  const id = useId();
  return (
    <section className={isSettings ? 'section settings' : 'section'} aria-labelledby={id}>
      <div>
        <Title order={2} id={id}>
          {title}
        </Title>
        {text && <Text c="dimmed">{text}</Text>}
      </div>
      <Stack gap="sm" miw={0}>
        {children}
      </Stack>
    </section>
  );
}
