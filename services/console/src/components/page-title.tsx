import { Group, Title } from '@mantine/core';
import { type ReactNode, type Ref, useEffect, useRef } from 'react';
import { words } from '../words/en.ts';

interface Props {
  title: string;
  /** The name of the application to which the page belongs. */
  of?: string;
  /** Gets the element that holds the actions. */
  actions?: Ref<HTMLDivElement>;
  children?: ReactNode;
}

/** The heading of a page with its actions. It names the tab, and takes the focus when the page opens. */
export function PageTitle({ title, of, actions, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = [title, of, words.product].filter(Boolean).join(' · ');
    heading.current?.focus({ preventScroll: true });
  }, [title, of]);
  return (
    <Group justify="space-between" mb="sm" gap="xs" mih={32}>
      <Title order={1} ref={heading} tabIndex={-1}>
        {title}
      </Title>
      <Group gap="xs" ref={actions}>
        {children}
      </Group>
    </Group>
  );
}
