import { Group, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { words } from '../words/en.ts';

/** The heading of a page with its actions. It names the tab, and takes the focus when the page opens. */
export function PageTitle({ title, children }: { title: string; children?: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${words.product}`;
    heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <Group justify="space-between" mb="md">
      <Title order={1} ref={heading} tabIndex={-1}>
        {title}
      </Title>
      <Group gap="xs">{children}</Group>
    </Group>
  );
}
