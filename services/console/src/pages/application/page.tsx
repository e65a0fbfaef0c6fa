import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Outlet, useLocation, useParams } from 'react-router';
import { applicationQuery, may } from '../../api/applications.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Unread } from '../../components/loading.tsx';
import { ActionsPlace } from '../../components/page-actions.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { words } from '../../words/en.ts';
import { sections } from '../sections.ts';

/** A section of an application, below its title. */
export function Page() {
  const { domain = '' } = useParams();
  const { pathname } = useLocation();
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const { data, error, refetch } = useQuery(applicationQuery(domain));
  if (!data) return <Unread error={error} retry={refetch} />;
  const section = sections.find(({ path }) => pathname.startsWith(`/applications/${domain}/${path}`));
  return (
    <ActionsPlace value={place}>
      {section && <PageTitle title={words.sections[section.path]} of={data.name} actions={setPlace} />}
      {!section || may(data, section.role) ? (
        <Outlet context={data} />
      ) : (
        <EmptyState {...words.members.notAllowed(words.members.roles[section.role])} />
      )}
    </ActionsPlace>
  );
}
