import { formatNumber } from '../../components/formats.ts';
import { words } from '../../words/en.ts';
import { typedAs } from './conditions.ts';
import type { ListedField } from './fields.ts';
import type { Stack } from './stack-query.ts';

interface Props {
  stack: Stack;
  /** Whose values they are. */
  field: ListedField;
  /** Selects entries with a value, given as it is typed. */
  pick: (pointer: string, text: string) => void;
}

/** The values of the bars with their counts. A click selects one. */
export function Legend({ stack, field: { pointer, name, kind }, pick }: Props) {
  return (
    <ul className="legend">
      {stack.parts.map(({ label, value, counts, color }) => {
        const text = value === undefined ? undefined : typedAs(value, kind);
        const count = counts.reduce((all, one) => all + one, 0);
        return (
          <li key={`${color} ${label}`}>
            <button
              type="button"
              disabled={text === undefined}
              title={text === undefined ? undefined : words.entries.only(name, label)}
              onClick={() => text !== undefined && pick(pointer, text)}
            >
              <svg viewBox="0 0 1 1" aria-hidden>
                <rect width={1} height={1} fill={`var(--mantine-color-${color})`} />
              </svg>
              {label} <span className="number">{formatNumber(count)}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
