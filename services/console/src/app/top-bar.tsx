import { ActionIcon, Anchor, Group, Kbd, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { applicationQuery } from '../api/applications.ts';
import { Icon } from '../components/icons.tsx';
import { words } from '../words/en.ts';
import { AccountMenu } from './account-menu.tsx';
import { TimeZoneMenu } from './time-zone-menu.tsx';

const mark = new URL('./icon.svg', import.meta.url).href;

interface Props {
  isSignedIn: boolean;
  /** Opens the sections of the application on a narrow screen. */
  openSections: () => void;
  openPalette: () => void;
}

const isMac = navigator.platform.startsWith('Mac');

export function TopBar({ isSignedIn, openSections, openPalette }: Props) {
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
          <img className="mark" src={mark} alt="" />
          <span className={domain && 'wide-only'}>{words.product}</span>
        </Link>
        {isSignedIn && domain && <ApplicationName domain={domain} />}
      </Group>
      <Group component="nav" aria-label={words.layout.account} gap="sm" wrap="nowrap">
        {isSignedIn ? (
          <>
            <UnstyledButton className="search" aria-keyshortcuts="Control+K Meta+K" onClick={openPalette}>
              <Icon name="search" />
              <span>{words.palette.open}</span>
              <Kbd size="xs" className="wide-only">
                {isMac ? '⌘K' : 'Ctrl K'}
              </Kbd>
            </UnstyledButton>
            <TimeZoneMenu />
            <AccountMenu />
          </>
        ) : (
          <Anchor href="/api/docs">{words.layout.apiDocs}</Anchor>
        )}
      </Group>
    </header>
  );
}

/** Says on a narrow screen, where the sidebar is folded, which application is open. */
function ApplicationName({ domain }: { domain: string }) {
  const { data } = useQuery(applicationQuery(domain));
  return <span className="narrow-only crumb">{data?.name}</span>;
}
