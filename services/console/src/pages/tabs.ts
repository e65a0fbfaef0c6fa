import type { ComponentType } from 'react';
import type { words } from '../words/en.ts';

/** The sections of an application in their order. Each is loaded when it is first opened. */
export const tabs: { path: keyof typeof words.tabs; load: () => Promise<{ Page: ComponentType }> }[] = [
  { path: 'entries', load: () => import('./entries/page.tsx') },
  { path: 'refused', load: () => import('./refused/page.tsx') },
  { path: 'schema', load: () => import('./schema/page.tsx') },
  { path: 'exports', load: () => import('./exports/page.tsx') },
  { path: 'imports', load: () => import('./imports/page.tsx') },
  { path: 'access', load: () => import('./access/page.tsx') },
];
