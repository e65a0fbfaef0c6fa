import type { ComponentType } from 'react';
import { words } from '../words/en.ts';

interface Tab {
  /** Of the URL, below the application. */
  path: string;
  label: string;
  load: () => Promise<{ Page: ComponentType }>;
}

/** The sections of an application, in the order in which they are shown. Each is loaded when it is first opened. */
export const tabs: Tab[] = [
  { path: 'entries', label: words.tabs.entries, load: () => import('./entries/page.tsx') },
  { path: 'refused', label: words.tabs.refused, load: () => import('./refused/page.tsx') },
  { path: 'schema', label: words.tabs.schema, load: () => import('./schema/page.tsx') },
  { path: 'exports', label: words.tabs.exports, load: () => import('./exports/page.tsx') },
  { path: 'imports', label: words.tabs.imports, load: () => import('./imports/page.tsx') },
  { path: 'access', label: words.tabs.access, load: () => import('./access/page.tsx') },
];
