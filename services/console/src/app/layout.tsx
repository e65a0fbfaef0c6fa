import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useSyncExternalStore } from 'react';
import { Navigate, Outlet, ScrollRestoration, useLocation, useParams } from 'react-router';
import { session, useIsSignedIn, useLacksSecondFactor } from '../api/session.ts';
import { Loading } from '../components/loading.tsx';
import { useTimeZone } from '../components/time-zone.ts';
import { TransferTray } from '../jobs/transfer-tray.tsx';
import { words } from '../words/en.ts';
import { KeysDialog } from './keys-dialog.tsx';
import { Palette } from './palette/palette.tsx';
import { Sidebar } from './sidebar.tsx';
import { SlowNotice } from './slow-notice.tsx';
import { TopBar } from './top-bar.tsx';
import { UpdateNotice } from './update-notice.tsx';

/** Pages for signed-in users. Others sign in first, also when the session ends while a page is open. */
export function RequireSession() {
  const isSignedIn = useIsSignedIn();
  const lacksSecondFactor = useLacksSecondFactor();
  const { pathname, search } = useLocation();
  if (isSignedIn && lacksSecondFactor && pathname !== '/profile') return <Navigate to="/profile" replace />;
  if (isSignedIn) return <Outlet />;
  if (session.isSignedOut()) return <Navigate to="/sign-in?signed-out" replace />;
  const then = pathname === '/' ? '' : `?then=${encodeURIComponent(pathname + search)}`;
  return <Navigate to={`/sign-in${then}`} replace />;
}

/** The frame of every page: the bar on top and, in an application, its sections on the left. */
export function Layout() {
  const isSignedIn = useIsSignedIn();
  const isKnown = useSyncExternalStore(session.subscribe, session.isKnown);
  const { domain } = useParams();
  const zone = useTimeZone();
  const [isOpen, sections] = useDisclosure();
  const [isSearching, palette] = useDisclosure();
  const [showsKeys, keys] = useDisclosure();
  useHotkeys([['mod+K', palette.toggle]], []);
  useHotkeys([['shift+?', keys.open]]);
  // Without the sidebar, everything would move when it comes.
  if (!isKnown) return <Loading />;
  return (
    <>
      <a className="skip-link" href="#content">
        {words.layout.skip}
      </a>
      <TopBar isSignedIn={isSignedIn} openSections={sections.open} openPalette={palette.open} />
      {isSignedIn && <Palette isOpen={isSearching} close={palette.close} />}
      <div className="columns">
        {isSignedIn && domain && <Sidebar key={domain} {...{ domain, isOpen }} close={sections.close} />}
        <main id="content" className={domain ? 'content' : 'content single'} tabIndex={-1}>
          <UpdateNotice />
          {/* Pages are made anew with the times of another zone. */}
          <Outlet key={zone} />
        </main>
      </div>
      <SlowNotice />
      <KeysDialog isOpen={showsKeys} close={keys.close} />
      {isSignedIn && <TransferTray />}
      <ScrollRestoration />
    </>
  );
}
