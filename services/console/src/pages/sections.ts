import type { ComponentType } from 'react';
import type { words } from '../words/en.ts';

export type SectionPath = keyof typeof words.sections;

/** The sections of an application in their order. Each is loaded when it is first opened. */
export const sections: { path: SectionPath; load: () => Promise<{ Page: ComponentType }> }[] = [
  { path: 'entries', load: () => import('./entries/page.tsx') },
  { path: 'refused', load: () => import('./refused/page.tsx') },
  { path: 'schema', load: () => import('./schema/page.tsx') },
  { path: 'send', load: () => import('./send/page.tsx') },
  { path: 'jobs', load: () => import('./jobs/page.tsx') },
  { path: 'settings', load: () => import('./settings/page.tsx') },
];

/** Earlier paths of sections, which lead to the new ones with their query. */
export const moved: [from: string, to: SectionPath, query: string][] = [
  ['start', 'send', ''],
  ['exports', 'jobs', 'new=export'],
  ['imports', 'jobs', 'new=import'],
  ['access', 'settings', ''],
];
