import type { ComponentType } from 'react';
import { createBrowserRouter, Navigate } from 'react-router';
import { Loading } from '../components/loading.tsx';
import { sections } from '../pages/sections.ts';
import { NotFound, PageError } from './errors.tsx';
import { Layout, RequireSession } from './layout.tsx';
import { UnloadedPage } from './unloaded-page.tsx';

/** The router shows nothing in place of a page that cannot be loaded, so this is never rejected. */
const page = (load: () => Promise<{ Page: ComponentType }>) => async () => ({
  Component: await load().then(
    ({ Page }) => Page,
    () => UnloadedPage,
  ),
});

/** Every page of the console. Those below `RequireSession` lead to the sign-in page first. */
export const router = createBrowserRouter([
  {
    Component: Layout,
    ErrorBoundary: PageError,
    HydrateFallback: Loading,
    children: [
      { path: '/welcome', lazy: page(() => import('../pages/welcome/page.tsx')) },
      { path: '/set-password', lazy: page(() => import('../pages/set-password/page.tsx')) },
      { path: '/sign-in-once', lazy: page(() => import('../pages/sign-in-once/page.tsx')) },
      { path: '/confirm-email', lazy: page(() => import('../pages/confirm-email/page.tsx')) },
      { path: '/sign-in', lazy: page(() => import('../pages/sign-in/page.tsx')) },
      {
        Component: RequireSession,
        children: [
          { path: '/', element: <Navigate to="/applications" replace /> },
          { path: '/applications', lazy: page(() => import('../pages/applications/page.tsx')) },
          { path: '/applications/new', lazy: page(() => import('../pages/create/page.tsx')) },
          {
            path: '/applications/deleted',
            lazy: page(() => import('../pages/deleted-applications/page.tsx')),
          },
          { path: '/profile', lazy: page(() => import('../pages/profile/page.tsx')) },
          { path: '/audit', lazy: page(() => import('../pages/audit/page.tsx')) },
          {
            path: '/applications/:domain',
            lazy: page(() => import('../pages/application/page.tsx')),
            children: [
              { index: true, element: <Navigate to="entries" replace /> },
              ...sections.map(({ path, load }) => ({ path, lazy: page(load), ErrorBoundary: PageError })),
            ],
          },
        ],
      },
      { path: '*', Component: NotFound },
    ],
  },
]);
