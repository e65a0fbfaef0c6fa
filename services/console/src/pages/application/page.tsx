import { Box, Code, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { NavLink, Outlet, useParams } from 'react-router';
import { applicationQuery } from '../../api/applications.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { Loading } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { words } from '../../words/en.ts';
import { tabs } from '../tabs.ts';

/** An application: its name, and the section that is open. */
export function Page() {
  const { domain = '' } = useParams();
  const { data, error, refetch } = useQuery(applicationQuery(domain));
  if (error && !data) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!data) return <Loading />;
  return (
    <>
      <PageTitle title={data.name}>
        <Group gap="xs">
          <Code>{domain}</Code>
          <CopyText text={domain} label={words.application.copyDomain} />
        </Group>
      </PageTitle>
      <nav className="tabs" aria-label={words.application.sections}>
        {tabs.map(({ path, label }) => (
          <NavLink key={path} to={path} className="tab">
            {label}
          </NavLink>
        ))}
      </nav>
      <Box py="md">
        <Outlet context={data} />
      </Box>
    </>
  );
}
