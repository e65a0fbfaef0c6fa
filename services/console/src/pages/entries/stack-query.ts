import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import type { Layer } from '../../components/layers.tsx';
import { exactDataOf, toLine, unshared } from '../../json/exact.ts';
import { words } from '../../words/en.ts';
import type { ListSelection } from './entries-query.ts';
import { type Bars, hasEnd } from './period.ts';

/** How many entries of each bar have a value. */
export interface StackPart {
  label: string;
  /** Undefined: of entries without a value, or with any other. */
  value?: unknown;
  counts: number[];
  /** Of the theme. */
  color: string;
}

/** The most frequent values, and the rest. */
export interface Stack extends Bars {
  parts: StackPart[];
}

interface Row {
  at: string;
  value: unknown;
  rest?: true;
  accepted: number;
}

const refreshMs = 10_000;
const colors = ['teal', 'indigo', 'grape', 'cyan', 'lime', 'pink', 'yellow', 'blue', 'violet', 'green'];

const labelOf = ({ value, rest }: Row): string => {
  if (rest) return words.entries.otherValues;
  return value === null ? words.entries.noValue : toLine(value) || '""';
};

function toStack(bars: Bars, rows: Row[]): Stack {
  const parts = new Map<string, StackPart>();
  const keyOf = ({ value, rest }: Row) => (rest ? 'rest' : JSON.stringify(value));
  const isValue = (row: Row) => !row.rest && row.value !== null;
  const first = rows.filter(isValue).concat(rows.filter((row) => !isValue(row)));
  for (const row of first)
    if (!parts.has(keyOf(row)))
      parts.set(keyOf(row), {
        label: labelOf(row),
        ...(isValue(row) && { value: row.value }),
        counts: Array(bars.count).fill(0),
        color: isValue(row) ? `${colors[parts.size % colors.length]}-filled` : row.rest ? 'gray-5' : 'gray-3',
      });
  for (const row of rows) {
    const { counts } = parts.get(keyOf(row)) as StackPart;
    counts[Math.floor((Date.parse(row.at) - bars.begin) / bars.length)] = row.accepted;
  }
  return { ...bars, parts: [...parts.values()] };
}

export const toLayers = ({ parts }: Stack): Layer[] => parts.map(({ counts, color }) => ({ counts, color }));

/** The bars of a chart by the values of a field. */
export const stackQuery = (
  domain: string,
  selection: ListSelection,
  bars: Bars | undefined,
  by: string | undefined,
) =>
  queryOptions({
    queryKey: ['entries', domain, 'stack', selection, bars?.begin, bars?.length, bars?.count, by],
    queryFn: async ({ signal }) => {
      const { begin, length, count, step, every } = bars as Bars;
      const query = {
        by: by as string,
        step,
        every,
        from: new Date(begin).toISOString(),
        to: new Date(begin + count * length).toISOString(),
        ...(selection.filter && { filter: selection.filter }),
      };
      const init = { params: { path: { domain }, query }, parseAs: 'text', signal } as const;
      const rows = await exactDataOf<Row[]>(client.GET('/api/applications/{domain}/stats', init));
      return toStack(bars as Bars, rows);
    },
    enabled: bars !== undefined && by !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: hasEnd(selection) ? false : refreshMs,
    ...unshared,
  });
