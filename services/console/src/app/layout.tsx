import {
  Anchor,
  Box,
  Button,
  Container,
  Group,
  type MantineColorScheme,
  NativeSelect,
  useMantineColorScheme,
} from '@mantine/core';
import { Link, Navigate, Outlet, ScrollRestoration, useLocation } from 'react-router';
import { signOut } from '../api/browser-session.ts';
import { session, useIsSignedIn } from '../api/session.ts';
import { choicesOf } from '../components/choices.ts';
import { showFailure } from '../components/toasts.ts';
import { words } from '../words/en.ts';

/** Pages for signed-in users. Others sign in first, also when the session ends while a page is open. */
export function RequireSession() {
  const isSignedIn = useIsSignedIn();
  const { pathname, search } = useLocation();
  if (isSignedIn) return <Outlet />;
  if (session.isSignedOut()) return <Navigate to="/sign-in?signed-out" replace />;
  const then = pathname === '/' ? '' : `?then=${encodeURIComponent(pathname + search)}`;
  return <Navigate to={`/sign-in${then}`} replace />;
}

export function Layout() {
  const isSignedIn = useIsSignedIn();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
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
              <NativeSelect
                size="xs"
                w={72}
                aria-label={words.layout.colorScheme}
                data={choicesOf(words.layout.colorSchemes)}
                value={colorScheme}
                onChange={({ currentTarget }) => setColorScheme(currentTarget.value as MantineColorScheme)}
              />
              {isSignedIn && (
                <>
                  <Anchor component={Link} to="/profile">
                    {words.layout.profile}
                  </Anchor>
                  <Button variant="default" size="compact-xs" onClick={() => signOut().catch(showFailure)}>
                    {words.layout.signOut}
                  </Button>
                </>
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
