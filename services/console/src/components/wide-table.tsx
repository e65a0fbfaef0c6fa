import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** A table that may be wider than the page. It takes the focus, so that keys can scroll it. */
export function WideTable({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard
    <section aria-label={label} tabIndex={0} style={{ overflowX: 'auto' }}>
      <Table fz="sm">{children}</Table>
    </section>
  );
}
