import { formatTime } from '../../components/formats.ts';
import { words } from '../../words/en.ts';
import type { Fields } from './fields.ts';
import { sayCondition } from './filters.tsx';
import type { Last, PickedPeriod } from './period.ts';
import type { View } from './view.ts';

/** `24 h`, or the bounds of a period of the user. */
export const sayPeriod = ({ from, to, last }: PickedPeriod & { last: Last }): string =>
  from || to
    ? words.entries.between(from && formatTime(from), to && formatTime(to))
    : words.entries.lasts[last];

/** What the toolbar selects, in words. */
export const saySelection = (view: View, fields: Fields): string =>
  words.entries.selection(
    sayPeriod(view),
    view.conditions.map((one) => sayCondition(one, fields)).join(', '),
  );
