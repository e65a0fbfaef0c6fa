import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { type Application, applicationsQuery, may } from '../../api/applications.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { formatNumber } from '../../components/formats.ts';
import { Unread } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { WideTable } from '../../components/wide-table.tsx';
import { words } from '../../words/en.ts';

export function Page() {
  const { data, error, refetch } = useQuery(applicationsQuery);
  const [own = [], shared = []] = [true, false].map((isOwn) =>
    data?.filter(({ role }) => (role === 'owner') === isOwn),
  );
  return (
    <>
      <PageTitle title={words.applications.title}>{data && data.length > 0 && <CreateLink />}</PageTitle>
      {(error || !data) && <Unread error={error} retry={refetch} />}
      {data?.length === 0 && (
        <EmptyState {...words.applications.empty}>
          <CreateLink />
        </EmptyState>
      )}
      <Stack gap="lg">
        {own.length > 0 && <ApplicationsTable applications={own} />}
        {shared.length > 0 && (
          <Section title={words.applications.shared}>
            <ApplicationsTable applications={shared} isShared />
          </Section>
        )}
      </Stack>
      <Anchor component={Link} to="deleted" display="inline-block" mt="md">
        {words.deleted.title}
      </Anchor>
    </>
  );
}

const CreateLink = () => (
  <Button component={Link} to="/applications/new">
    {words.applications.create}
  </Button>
);

const Right = ({ children }: { children: ReactNode }) => (
  <Text inherit ta="right">
    {children}
  </Text>
);

function ApplicationsTable({ applications, isShared }: { applications: Application[]; isShared?: boolean }) {
  const { name, entries, lastEntry, refused, domain, noEntry, owner, role, shared, title } =
    words.applications;
  return (
    <WideTable
      label={isShared ? shared : title}
      head={[
        name,
        <Right key="entries">{entries}</Right>,
        <Right key="refused">{refused}</Right>,
        lastEntry,
        domain,
        ...(isShared ? [owner, role] : []),
      ]}
      rows={applications.map(({ domain, name, entries, last_entry_at, refused_24h, owner, role }) => ({
        key: domain,
        cells: [
          <Anchor key="name" component={Link} to={domain} fz="sm">
            {name}
          </Anchor>,
          <Right key="entries">{formatNumber(entries)}</Right>,
          <Right key="refused">
            {refused_24h > 0 && may({ role }, 'editor') ? (
              <Anchor component={Link} to={`${domain}/refused`} fz="sm" c="red">
                {formatNumber(refused_24h)}
              </Anchor>
            ) : (
              formatNumber(refused_24h)
            )}
          </Right>,
          last_entry_at ? <RelativeTime key="last" at={last_entry_at} /> : noEntry,
          <Text key="domain" inherit ff="monospace">
            {domain}
          </Text>,
          ...(isShared ? [owner, words.members.roles[role]] : []),
        ],
      }))}
    />
  );
}
