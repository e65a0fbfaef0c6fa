import { Group, Text } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { words } from '../../words/en.ts';
import type { ViewActions } from './use-view.ts';
import type { View } from './view.ts';

interface Props extends Pick<ViewActions, 'toNext' | 'toPrevious'> {
  view: View;
  /** Undefined while it is loaded. */
  pagination: Schemas['Pagination'] | undefined;
  /** Entries of the page. */
  shown: number;
  total: number;
}

/** Turns pages, where there is more than one. */
export function Pager({ view, pagination, shown, total, toNext, toPrevious }: Props) {
  const { after, start, sort, order } = view;
  const pages = words.entries.pages[sort ? 'sorted' : order];
  const { cursor, isLast } = pagination ?? {};
  const isFirst = !after && start === 0;
  if (isFirst && isLast !== false) return null;
  const next = { after: sort ? undefined : cursor, start: start + shown };
  return (
    <Group mt="sm" gap="xs">
      <SmallButton disabled={isFirst} onClick={toPrevious}>
        {pages.back}
      </SmallButton>
      <SmallButton disabled={isLast !== false || shown === 0} onClick={() => toNext(next)}>
        {pages.onward}
      </SmallButton>
      {shown > 0 && <Text size="xs">{words.entries.range(start + 1, start + shown, total)}</Text>}
    </Group>
  );
}
