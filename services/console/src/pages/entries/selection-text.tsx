import { Text } from '@mantine/core';
import { formatTime } from '../../components/formats.ts';
import { words } from '../../words/en.ts';
import type { Fields } from './fields.ts';
import { sayCondition } from './filters.tsx';
import type { Last, Period } from './period.ts';
import type { View } from './view.ts';

/** `24 h`, or the bounds of a period of the user. */
export const sayPeriod = ({ from, to, last }: Period & { last: Last }): string =>
  from || to
    ? words.entries.between(from && formatTime(from), to && formatTime(to))
    : words.entries.lasts[last];

/** What the toolbar selects, in words. */
export function SelectionText({ view, fields }: { view: View; fields: Fields }) {
  const conditions = view.conditions.map((condition) => sayCondition(condition, fields));
  return <Text size="sm">{words.entries.selection(sayPeriod(view), conditions.join(', '))}</Text>;
}
