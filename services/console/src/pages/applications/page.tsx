import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';

import { Unread } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { Section } from '../../components/section.tsx';
import { words } from '../../words/en.ts';
import { ApplicationsPage } from './applications-page.tsx';
import { CreateLink } from './create-link.tsx';
import { FirstSteps } from './first-steps.tsx';
import { pageQuery } from './page-query.ts';

/** All applications of the user, and how each does. */
export function Page() {
  const [params] = useSearchParams();
  const startOf = (name: string) => Math.max(Number.parseInt(params.get(name) ?? '', 10) || 0, 0);
  const [start, sharedStart] = [startOf('start'), startOf('shared')];
  const own = useQuery(pageQuery(false, start));
  const shared = useQuery(pageQuery(true, sharedStart));
  const failed = own.error ? own : shared;
  if (!own.data || !shared.data) return <Unread error={failed.error} retry={failed.refetch} />;
  const isEmpty = own.data.length + shared.data.length + start + sharedStart === 0;
  return (
    <>
      <PageTitle title={words.applications.title}>{!isEmpty && <CreateLink />}</PageTitle>
      {isEmpty && <FirstSteps />}
      {own.data.length + start > 0 && (
        <ApplicationsPage applications={own.data} start={start} parameter="start" />
      )}
      {shared.data.length + sharedStart > 0 && (
        <Section title={words.applications.shared}>
          <ApplicationsPage applications={shared.data} start={sharedStart} parameter="shared" />
        </Section>
      )}
      <Anchor component={Link} to="deleted" display="inline-block" mt="md" fz="sm">
        {words.deleted.title}
      </Anchor>
    </>
  );
}
