import { ActionIcon, Anchor, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { applicationQuery } from '../api/applications.ts';
import { Icon } from '../components/icons.tsx';
import { words } from '../words/en.ts';
import { AccountMenu } from './account-menu.tsx';
import { Mark } from './mark.tsx';

interface Props {
  isSignedIn: boolean;
  /** Opens the sections of the application on a narrow screen. */
  openSections: () => void;
}

export function TopBar({ isSignedIn, openSections }: Props) {
  const { domain } = useParams();
  return (
    <header className="top-bar">
      <Group gap="xs" wrap="nowrap" miw={0}>
        {isSignedIn && domain && (
          <ActionIcon
            className="narrow-only"
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={words.layout.menu}
            onClick={openSections}
          >
            <Icon name="menu" />
          </ActionIcon>
        )}
        <Link to="/" className="product" aria-label={words.product}>
          <Mark />
          <span className={domain && 'wide-only'}>{words.product}</span>
        </Link>
        {isSignedIn && domain && <ApplicationName domain={domain} />}
      </Group>
      <Group component="nav" aria-label={words.layout.account} gap="sm" wrap="nowrap">
        {isSignedIn ? <AccountMenu /> : <Anchor href="/api/docs">{words.layout.apiDocs}</Anchor>}
      </Group>
    </header>
  );
}

/** Says on a narrow screen, where the sidebar is folded, which application is open. */
function ApplicationName({ domain }: { domain: string }) {
  const { data } = useQuery(applicationQuery(domain));
  return <span className="narrow-only crumb">{data?.name}</span>;
}
