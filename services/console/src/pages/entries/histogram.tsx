import { formatNumber, formatTime } from '../../components/formats.ts';
import { words } from '../../words/en.ts';
import type { Operator } from './conditions.ts';
import type { ListedField } from './fields.ts';
import type { FieldFacts } from './fields-query.ts';

interface Props {
  bins: NonNullable<FieldFacts['histogram']>;
  field: ListedField;
  select: (range: [operator: Operator, text: string][]) => void;
}

/** The bars of a histogram. A click selects the values of a bin. */
export function Histogram({ bins, field: { name, kind }, select }: Props) {
  const most = Math.max(...bins.map(({ count }) => count));
  const say = (edge: unknown) => {
    if (typeof edge === 'number') return formatNumber(edge);
    return kind === 'time' ? formatTime(String(edge)) : String(edge);
  };
  return (
    <div className="histogram">
      {bins.map(({ from, to, count }) => {
        const said = words.entries.bin(name, say(from), say(to), count);
        return (
          <button
            key={String(from)}
            type="button"
            title={said}
            aria-label={said}
            disabled={kind === 'text' || kind === 'choice'}
            style={{ height: `${Math.max(4, (100 * count) / most)}%` }}
            onClick={() =>
              select([
                ['gte', String(from)],
                // A single bin has its end.
                [bins.length === 1 ? 'lte' : 'lt', String(to)],
              ])
            }
          />
        );
      })}
    </div>
  );
}
