import { Box, Code, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { NavLink, Outlet, useLocation, useParams } from 'react-router';
import { applicationQuery } from '../../api/applications.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { Unread } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { words } from '../../words/en.ts';
import { tabs } from '../tabs.ts';

export function Page() {
  const { domain = '' } = useParams();
  const { data, error, refetch } = useQuery(applicationQuery(domain));
  if (!data) return <Unread error={error} retry={refetch} />;
  return (
    <>
      <PageTitle title={data.name}>
        <Group gap="xs">
          <Code>{domain}</Code>
          <CopyText text={domain} label={words.application.copyDomain} />
        </Group>
      </PageTitle>
      <Tabs />
      <Box py="md">
        <Outlet context={data} />
      </Box>
    </>
  );
}

function Tabs() {
  const { pathname } = useLocation();
  const nav = useRef<HTMLElement>(null);
  // On a phone not all tabs fit: scroll to the current one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current tab follows from the path
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [pathname]);
  return (
    <nav className="tabs" aria-label={words.application.sections} ref={nav}>
      {tabs.map(({ path }) => (
        <NavLink key={path} to={path} className="tab">
          {words.tabs[path]}
        </NavLink>
      ))}
    </nav>
  );
}
