import { Anchor, Badge, Button, Group, Text } from '@mantine/core';
import { Link, useSearchParams } from 'react-router';
import { type Application, may } from '../../api/applications.ts';
import { formatNumber } from '../../components/formats.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Right, WideTable } from '../../components/wide-table.tsx';
import { words } from '../../words/en.ts';
import { perPage } from './page-query.ts';

interface Props {
  /** Of this page, and the first one of the next. */
  applications: Application[];
  start: number;
  /** Of the address: where the page begins. */
  parameter: 'start' | 'shared';
}

/** A line for each application of a page: what came, and what fails. */
export function ApplicationsPage({ applications, start, parameter }: Props) {
  const isShared = parameter === 'shared';
  const { name, entries, lastEntry, refused, domain, owner, role, shared, title } = words.applications;
  const { lastDay, health } = words.overview.columns;
  return (
    <>
      <WideTable
        label={isShared ? shared : title}
        head={[
          name,
          health,
          <Right key="day">{lastDay}</Right>,
          <Right key="refused">{refused}</Right>,
          lastEntry,
          <Right key="entries">{entries}</Right>,
          domain,
          ...(isShared ? [owner, role] : []),
        ]}
        rows={applications.slice(0, perPage).map((application) => ({
          key: application.domain,
          cells: cellsOf(application, isShared),
        }))}
      />
      {(start > 0 || applications.length > perPage) && (
        <Pages start={start} parameter={parameter} isLast={applications.length <= perPage} />
      )}
    </>
  );
}

function cellsOf(application: Application, isShared: boolean) {
  const { domain, name, entries, entries_24h, last_entry_at, refused_24h, owner, role } = application;
  return [
    <Anchor key="name" component={Link} to={domain} fz="sm">
      {name}
    </Anchor>,
    <Health key="health" application={application} />,
    <Right key="day">{formatNumber(entries_24h)}</Right>,
    <Right key="refused">
      {refused_24h > 0 && may({ role }, 'editor') ? (
        <Anchor component={Link} to={`${domain}/refused`} fz="sm">
          {formatNumber(refused_24h)}
        </Anchor>
      ) : (
        formatNumber(refused_24h)
      )}
    </Right>,
    last_entry_at ? <RelativeTime key="last" at={last_entry_at} /> : words.applications.noEntry,
    <Right key="entries">{formatNumber(entries)}</Right>,
    <Text key="domain" inherit ff="monospace">
      {domain}
    </Text>,
    ...(isShared ? [owner, words.members.roles[role]] : []),
  ];
}

/** What fails, which leads to the overview. Readers are not told. */
function Health({ application: { domain, failing } }: { application: Application }) {
  const parts = failing && words.overview.failing(failing);
  return (
    <Anchor component={Link} to={`${domain}/overview`} fz="sm" c="inherit">
      {parts === undefined ? (
        words.sections.overview
      ) : (
        <Badge
          color={parts ? 'yellow' : 'teal'}
          variant="dot"
          size="sm"
          tt="none"
          style={{ cursor: 'inherit' }}
        >
          {parts ? words.overview.fail(parts) : words.overview.states.well}
        </Badge>
      )}
    </Anchor>
  );
}

function Pages({ start, parameter, isLast }: Pick<Props, 'start' | 'parameter'> & { isLast: boolean }) {
  const [params] = useSearchParams();
  const { newer, older } = words.overview.pages;
  const to = (next: number) =>
    `?${new URLSearchParams({ ...Object.fromEntries(params), [parameter]: String(next) })}`;
  const step = (label: string, next: number, isEnd: boolean) =>
    isEnd ? (
      <Button variant="default" disabled>
        {label}
      </Button>
    ) : (
      <Button variant="default" component={Link} to={to(next)}>
        {label}
      </Button>
    );
  return (
    <Group gap="xs" mt="xs">
      {step(newer, Math.max(start - perPage, 0), start === 0)}
      {step(older, start + perPage, isLast)}
    </Group>
  );
}
