import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { formatNumber, formatShare } from '../../components/formats.ts';
import { toLine } from '../../json/exact.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import {
  type FormCondition,
  type Operator,
  typedAs,
  withCondition,
  withRange,
  withValue,
} from './conditions.ts';
import type { ListSelection } from './entries-query.ts';
import { type Fields, type ListedField, toFieldPointer } from './fields.ts';
import { type FieldFacts, fieldsQuery } from './fields-query.ts';
import { Histogram } from './histogram.tsx';

/** Fields that show their values at first. */
const openedAtFirst = 4;
const skeletons = 6;

interface Props {
  selection: ListSelection;
  fields: Fields;
  conditions: FormCondition[];
  setConditions: (conditions: FormCondition[]) => void;
}

/** What each field of the selected entries holds. A click selects by it. */
export function FieldRail({ selection, fields, ...conditions }: Props) {
  const { domain } = useApplication();
  const { data, error, refetch, isPlaceholderData } = useQuery(fieldsQuery(domain, selection));
  return (
    <aside className="rail" aria-label={words.entries.rail} aria-busy={!data || isPlaceholderData}>
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {!data &&
        !error &&
        // biome-ignore lint/suspicious/noArrayIndexKey: fields without a name
        Array.from({ length: skeletons }, (_, place) => <Skeleton key={place} height={16} my={10} />)}
      {data?.length === 0 && <Text size="xs">{words.entries.noFields}</Text>}
      {data?.map((facts, place) => (
        <details key={facts.path} open={place < openedAtFirst}>
          <Facts {...{ facts, ...conditions }} field={fields.fieldAt(toFieldPointer(facts.path))} />
        </details>
      ))}
    </aside>
  );
}

interface FactsProps extends Pick<Props, 'conditions' | 'setConditions'> {
  facts: FieldFacts;
  field: ListedField;
}

function Facts({ facts, field, conditions, setConditions }: FactsProps) {
  const { types, null_share, distinct, top, histogram } = facts;
  const { pointer, name, kind } = field;
  const most = Math.max(...top.map(({ count }) => count));
  // Where each entry has a value of its own, the histogram says all.
  const shown = histogram && most === 1 && distinct > top.length ? [] : top;
  const add = (operator: Operator, text = '') =>
    setConditions(withCondition(conditions, { pointer, operator, text }));
  return (
    <>
      <summary title={name}>
        <b>{name}</b> <small>{types.map(({ type }) => words.entries.types[type]).join(', ')}</small>
      </summary>
      <Text size="xs" c="dimmed">
        {words.entries.distinct(distinct)}
        {null_share > 0 && (
          <>
            {' · '}
            <button type="button" className="missing" onClick={() => add('missing')}>
              {words.entries.unfilled(formatShare(null_share))}
            </button>
          </>
        )}
      </Text>
      {histogram && (
        <Histogram
          bins={histogram}
          field={field}
          select={(range) => setConditions(withRange(conditions, pointer, range))}
        />
      )}
      <ul>
        {shown.map(({ value, count }) => (
          <TopValue
            key={JSON.stringify(value)}
            {...{ name, value, count }}
            share={count / most}
            text={typedAs(value, kind)}
            pick={(text) => setConditions(withValue(conditions, pointer, text))}
            exclude={(text) => add('ne', text)}
          />
        ))}
      </ul>
    </>
  );
}

interface TopValueProps {
  /** Of the field. */
  name: string;
  value: unknown;
  count: number;
  /** Of the most frequent one. */
  share: number;
  /** As it is typed; undefined: no filter can have it. */
  text: string | undefined;
  pick: (text: string) => void;
  exclude: (text: string) => void;
}

function TopValue({ name, value, count, share, text, pick, exclude }: TopValueProps) {
  const shown = toLine(value) || '""';
  const excludes = words.entries.exclude(name, shown);
  return (
    <li>
      <button
        type="button"
        className="pick"
        disabled={text === undefined}
        title={words.entries.pick(name, shown)}
        style={{ backgroundSize: `${100 * share}% 100%` }}
        onClick={({ altKey }) => text !== undefined && (altKey ? exclude : pick)(text)}
      >
        <span>{shown}</span>
        <span className="number">{formatNumber(count)}</span>
      </button>
      <button
        type="button"
        className="exclude"
        disabled={text === undefined}
        aria-label={excludes}
        title={excludes}
        onClick={() => text !== undefined && exclude(text)}
      >
        ≠
      </button>
    </li>
  );
}
