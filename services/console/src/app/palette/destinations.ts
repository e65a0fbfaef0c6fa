import type { MantineColorScheme } from '@mantine/core';
import { type Application, may } from '../../api/applications.ts';
import { sectionsFor } from '../../pages/sections.ts';
import { words } from '../../words/en.ts';
import { apiDocsOf } from '../api-docs.ts';

/** A place that the palette leads to, or the colours that it sets. */
export interface Destination {
  group: keyof typeof words.palette.groups;
  label: string;
  to: string;
  /** Outside of the console. */
  isExternal?: boolean;
  colorScheme?: MantineColorScheme;
}

const colorSchemes = Object.entries(words.layout.colorSchemes).map(
  ([scheme, label]): Destination => ({
    group: 'actions',
    label: `${words.layout.colorScheme}: ${label}`,
    to: `#${scheme}`,
    colorScheme: scheme as MantineColorScheme,
  }),
);

const pages: Destination[] = [
  { group: 'pages', label: words.applications.title, to: '/applications' },
  { group: 'actions', label: words.applications.create, to: '/applications/new' },
  { group: 'pages', label: words.deleted.title, to: '/applications/deleted' },
  { group: 'pages', label: words.profile.title, to: '/profile' },
  { group: 'pages', label: words.audit.title, to: '/audit' },
];

const idOfEntry = /^[0-9a-f]{28}$/;

const entryOf = ({ domain }: Application, search: string): Destination[] => {
  const id = search.trim().toLowerCase();
  if (!idOfEntry.test(id)) return [];
  const label = words.palette.entry(id);
  return [{ group: 'sections', label, to: `/applications/${domain}/entries?entry=${id}` }];
};

const actionsOf = (application: Application): Destination[] =>
  (may(application, 'editor') ? (['export', 'import'] as const) : (['export'] as const)).map((job) => ({
    group: 'actions',
    label: words[`${job}s`].create,
    to: `/applications/${application.domain}/jobs?new=${job}`,
  }));

const sectionsOf = (application: Application): Destination[] =>
  sectionsFor(application).map(({ path }) => ({
    group: 'applications',
    label: `${application.name} / ${words.sections[path]}`,
    to: `/applications/${application.domain}/${path}`,
  }));

const order = Object.keys(words.palette.groups);

/** What has all words of the search in its label: first of the open application, of which ids of entries are known too. */
export function findDestinations(
  applications: Application[],
  openDomain: string | undefined,
  search: string,
): Destination[] {
  const open = applications.find(({ domain }) => domain === openDomain);
  const ofOpen = open
    ? [
        ...entryOf(open, search),
        ...sectionsOf(open).map((each): Destination => ({ ...each, group: 'sections' })),
        ...actionsOf(open),
      ]
    : [];
  const others = applications.filter((each) => each !== open);
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
  const ofOthers =
    wanted.length === 0
      ? others.map(({ name, domain }): Destination => {
          return { group: 'applications', label: name, to: `/applications/${domain}` };
        })
      : others.flatMap(sectionsOf);
  const apiDocs: Destination = {
    group: 'pages',
    label: words.layout.apiDocs,
    to: apiDocsOf(openDomain),
    isExternal: true,
  };
  return [...ofOpen, ...ofOthers, ...pages, ...colorSchemes, apiDocs]
    .filter(({ label }) => wanted.every((word) => label.toLowerCase().includes(word)))
    .toSorted((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
}
