import { Text } from '@mantine/core';
import { formatNumber } from '../../components/formats.ts';
import { words } from '../../words/en.ts';
import type { Point } from './chart-points.ts';

/** More bars are not compared by eye. */
const mostBars = 15;

/** A bar for each text, in the order of the answer. Bars to zero: a negative number has none. */
export function TextBars({ points }: { points: Point[] }) {
  const shown = points.slice(0, mostBars);
  const most = Math.max(...shown.map(({ value = 0 }) => value), 0);
  return (
    <>
      <ol className="text-bars">
        {shown.map(({ label, value }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two rows may have one text
          <li key={place}>
            <span title={label}>{label}</span>
            <span>
              <span style={{ width: `${most > 0 && value ? Math.max((value / most) * 100, 0) : 0}%` }} />
            </span>
            <span>{value === undefined ? 'NULL' : formatNumber(value)}</span>
          </li>
        ))}
      </ol>
      {points.length > mostBars && <Text size="xs">{words.ask.firstBars(mostBars, points.length)}</Text>}
    </>
  );
}
