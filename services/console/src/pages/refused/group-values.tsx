import { Stack, Text, Title } from '@mantine/core';
import { useId } from 'react';
import type { RefusedGroup } from '../../api/refused.ts';
import { formatNumber } from '../../components/formats.ts';
import { Unread } from '../../components/loading.tsx';
import { words } from '../../words/en.ts';
import { useKeyNames } from '../application/use-key-names.ts';
import { useValues } from './use-values.ts';

const mostShown = 6;

interface Row {
  name: string;
  count: number;
}

/** The values of a group, most frequent first, beside those who sent them. */
export function GroupValues({ group }: { group: RefusedGroup }) {
  const { data, error, refetch } = useValues(group);
  const nameOf = useKeyNames();
  if (!data) return <Unread error={error} retry={refetch} />;
  const { values, members, senders, distinct, read: all } = data;
  const isMissing = group.keyword === 'required' && group.property !== undefined;
  const rows = isMissing
    ? members
    : values.map(({ value, count }) => ({ name: JSON.stringify(value), count }));
  const isJson = group.reason === 'schema' || group.reason === 'duplicate';
  return (
    <div className="facts">
      {isJson && (
        <Bars
          title={isMissing ? words.refused.beside(group.property ?? '', all) : words.refused.values(all)}
          rows={rows}
          all={all}
          further={(isMissing ? members.length : distinct) - mostShown}
        />
      )}
      <Bars
        title={words.refused.senders}
        rows={senders.map(({ key, network, count }) => ({
          name: key ? words.refused.key(nameOf(key)) : (network ?? words.refused.noNetwork),
          count,
        }))}
        all={all}
        further={senders.length - mostShown}
      />
    </div>
  );
}

function Bars({ title, rows, all, further }: { title: string; rows: Row[]; all: number; further: number }) {
  const id = useId();
  return (
    <Stack gap={4} component="section" aria-labelledby={id} miw={0}>
      <Title order={3} id={id}>
        {title}
      </Title>
      {rows.length === 0 && <Text>{words.refused.noValues}</Text>}
      <ol className="bars-of-values">
        {rows.slice(0, mostShown).map(({ name, count }) => (
          <li key={name} style={{ backgroundSize: `${(100 * count) / all}% 100%` }}>
            <span title={name}>{name}</span>
            <span>{formatNumber(count)}</span>
          </li>
        ))}
      </ol>
      {further > 0 && <Text size="xs">{words.refused.moreValues(further)}</Text>}
    </Stack>
  );
}
