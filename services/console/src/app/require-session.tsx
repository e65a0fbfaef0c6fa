import { useSyncExternalStore } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { session } from '../api/session.ts';

/** Pages for who is signed in. Others sign in first, and so does one whose session ends meanwhile. */
export function RequireSession() {
  const token = useSyncExternalStore(session.subscribe, session.token);
  const { pathname, search } = useLocation();
  if (token) return <Outlet />;
  const then = pathname === '/' ? '' : `?then=${encodeURIComponent(pathname + search)}`;
  return <Navigate to={`/sign-in${then}`} replace />;
}
