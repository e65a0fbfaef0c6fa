import type { ComponentType } from 'react';
import { type Application, type GivenRole, may } from '../api/applications.ts';
import type { words } from '../words/en.ts';

type SectionPath = keyof typeof words.sections;

interface Section {
  path: SectionPath;
  /** What a user must be to open it. */
  role: GivenRole;
  load: () => Promise<{ Page: ComponentType }>;
}

/** The sections of an application in their order. Each is loaded when it is first opened. */
export const sections: Section[] = [
  { path: 'overview', role: 'reader', load: () => import('./overview/page.tsx') },
  { path: 'entries', role: 'reader', load: () => import('./entries/page.tsx') },
  { path: 'ask', role: 'reader', load: () => import('./ask/page.tsx') },
  { path: 'refused', role: 'editor', load: () => import('./refused/page.tsx') },
  { path: 'schema', role: 'reader', load: () => import('./schema/page.tsx') },
  { path: 'send', role: 'reader', load: () => import('./send/page.tsx') },
  { path: 'jobs', role: 'reader', load: () => import('./jobs/page.tsx') },
  { path: 'archive', role: 'editor', load: () => import('./archive/page.tsx') },
  { path: 'activity', role: 'reader', load: () => import('./activity/page.tsx') },
  { path: 'settings', role: 'reader', load: () => import('./settings/page.tsx') },
];

export const sectionsFor = (application: Application): Section[] =>
  sections.filter(({ role }) => may(application, role));
