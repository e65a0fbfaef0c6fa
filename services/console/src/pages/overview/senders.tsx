import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatNumber } from '../../components/formats.ts';
import { Section } from '../../components/section.tsx';
import { Right, WideTable } from '../../components/wide-table.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { useKeyNames } from '../application/use-key-names.ts';
import { refusedShare, sumByKey } from './day.ts';
import { byKeyQuery } from './queries.ts';

const mostShown = 10;

/** What each key has sent in a day. */
export function Senders() {
  const { domain } = useApplication();
  const { data } = useQuery(byKeyQuery(domain));
  const nameOf = useKeyNames();
  if (!data) return null;
  const all = sumByKey(data);
  return (
    <Section title={words.overview.byKey}>
      {all.length === 0 ? (
        <Text c="dimmed">{words.overview.nothingSent}</Text>
      ) : (
        <WideTable
          label={words.overview.keys}
          head={words.overview.keyColumns.map((head, column) =>
            column === 0 ? head : <Right key={head}>{head}</Right>,
          )}
          rows={all.slice(0, mostShown).map((sums) => ({
            key: sums.key ?? '',
            cells: [
              sums.key === null ? words.overview.withoutKey : nameOf(sums.key),
              <Right key="entries">{formatNumber(sums.accepted)}</Right>,
              <Right key="refused">{words.overview.withShare(sums.refused, refusedShare(sums))}</Right>,
              <Right key="lost">{formatNumber(sums.lost)}</Right>,
            ],
          }))}
        />
      )}
      {all.length > mostShown && <Text c="dimmed">{words.overview.moreKeys(all.length - mostShown)}</Text>}
    </Section>
  );
}
