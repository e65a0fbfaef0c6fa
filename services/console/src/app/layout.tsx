import { Anchor, Box, Button, Container, Group } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { Link, Outlet, ScrollRestoration } from 'react-router';
import { session } from '../api/session.ts';
import { words } from '../words/en.ts';
import { ColorSchemeSwitch } from './color-scheme-switch.tsx';

/** What stands around every page. */
export function Layout() {
  const isSignedIn = useSyncExternalStore(session.subscribe, session.token) !== null;
  return (
    <>
      <a className="skip-link" href="#content">
        {words.layout.skip}
      </a>
      <Box component="header" className="header">
        <Container size="xl">
          <Group justify="space-between" py="xs" gap="xs">
            <Anchor component={Link} to="/" fw={700} underline="never" c="inherit">
              {words.product}
            </Anchor>
            <Group component="nav" gap="xs">
              {isSignedIn && (
                <Anchor component={Link} to="/applications">
                  {words.layout.applications}
                </Anchor>
              )}
              <Anchor href="/api/docs">{words.layout.apiDocs}</Anchor>
              <ColorSchemeSwitch />
              {isSignedIn && (
                <Anchor component={Link} to="/profile">
                  {words.layout.profile}
                </Anchor>
              )}
              {isSignedIn && (
                <Button variant="default" size="compact-xs" onClick={session.end}>
                  {words.layout.signOut}
                </Button>
              )}
            </Group>
          </Group>
        </Container>
      </Box>
      <Container component="main" id="content" size="xl" py="md" tabIndex={-1}>
        <Outlet />
      </Container>
      <ScrollRestoration />
    </>
  );
}
