import { Drawer, Stack, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { NavLink } from 'react-router';
import { applicationQuery, may } from '../api/applications.ts';
import { groupsQuery, waitingIn } from '../api/refused.ts';
import { webhooksQuery } from '../api/webhooks.ts';
import { formatNumber } from '../components/formats.ts';
import { Icon } from '../components/icons.tsx';
import { sectionsFor } from '../pages/sections.ts';
import { ViewLinks } from '../pages/views/view-links.tsx';
import { words } from '../words/en.ts';
import { Switcher } from './switcher.tsx';
import { UnpublishedMark } from './unpublished-mark.tsx';

interface Props {
  domain: string;
  /** The drawer of a narrow screen is open. */
  isOpen: boolean;
  close: () => void;
}

/** The sections of the open application: beside the content, or in a drawer where the screen is narrow. */
export function Sidebar({ domain, isOpen, close }: Props) {
  return (
    <>
      <div className="sidebar wide-only">
        <Sections domain={domain} onOpen={close} />
      </div>
      <Drawer opened={isOpen} onClose={close} size={280} padding="sm" title={words.product}>
        <Sections domain={domain} onOpen={close} />
      </Drawer>
    </>
  );
}

function Sections({ domain, onOpen }: { domain: string; onOpen: () => void }) {
  const { data: application } = useQuery(applicationQuery(domain));
  const sections = application ? sectionsFor(application) : [];
  return (
    <Stack gap="sm">
      <Switcher domain={domain} onOpen={onOpen} />
      <nav aria-label={words.layout.sections}>
        {sections.map(({ path }) => (
          <Fragment key={path}>
            <NavLink to={`/applications/${domain}/${path}`} className="section-link" onClick={onOpen}>
              <Icon name={path} />
              {words.sections[path]}
              {path === 'refused' && <Waiting domain={domain} />}
              {path === 'schema' && application && may(application, 'editor') && (
                <UnpublishedMark domain={domain} />
              )}
              {path === 'settings' && application && may(application, 'editor') && (
                <DisabledWebhook domain={domain} />
              )}
            </NavLink>
            {path === 'entries' && <ViewLinks domain={domain} onOpen={onOpen} />}
          </Fragment>
        ))}
      </nav>
    </Stack>
  );
}

const refreshMs = 10_000;

/** How many refused uploads wait to be fixed. */
function Waiting({ domain }: { domain: string }) {
  const { data } = useQuery({ ...groupsQuery(domain), select: waitingIn, refetchInterval: refreshMs });
  if (!data) return null;
  return (
    <span className="waiting" title={words.layout.waiting(data)}>
      <span aria-hidden="true">{formatNumber(data)}</span>
      <VisuallyHidden>{words.layout.waiting(data)}</VisuallyHidden>
    </span>
  );
}

/** Tells that Sluice gave up a webhook. */
function DisabledWebhook({ domain }: { domain: string }) {
  const { data } = useQuery(webhooksQuery(domain));
  const isDisabled = data?.some(({ state }) => state === 'disabled');
  return isDisabled && <span className="waiting">{words.layout.webhookDisabled}</span>;
}
