import type { AlertContent, AlertNews, Matter } from '@sluice/store/alerts/mails.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { type Letter, type Paragraph, toLetter } from './letter.ts';

interface Said {
  subject: string;
  paragraphs: string[];
  /** The page of the application that shows it. */
  page: string;
}

type Say = (news: [AlertNews, ...AlertNews[]]) => Said;

const hourMs = 3_600_000;

const count = (number: unknown, what: string) =>
  `${Number(number).toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;

/** `90` → `90 minutes`, `1440` → `1 day`. */
function inWords(minutes: number): string {
  if (minutes % 1_440 === 0) return count(minutes / 1_440, 'day');
  return minutes % 60 === 0 ? count(minutes / 60, 'hour') : count(minutes, 'minute');
}

const inUtc = (time: string) => `${time.slice(0, 16).replace('T', ' ')} UTC`;

function silence([{ data }]: [AlertNews, ...AlertNews[]]): Said {
  const { minutes, last_entry_at: last } = data as { minutes: number; last_entry_at?: string };
  const came = last ? `The last one came at ${inUtc(last)}.` : 'It has no entry yet.';
  const from = last && new Date(Date.parse(last) - hourMs).toISOString();
  return {
    subject: `no entry for ${inWords(minutes)}`,
    paragraphs: [`No entry was stored for ${inWords(minutes)}. ${came}`],
    page: from ? `entries?from=${encodeURIComponent(from)}` : 'entries',
  };
}

function refused([{ data }]: [AlertNews, ...AlertNews[]]): Said {
  const { refused: number, lost, minutes } = data as { refused: number; lost?: number; minutes: number };
  const lostToo = lost ? `, and ${lost.toLocaleString('en')} lost before they were validated` : '';
  const within = `within ${inWords(minutes)}`;
  return {
    subject: `${count(number + (lost ?? 0), 'upload')} refused`,
    paragraphs: [`${count(number, 'upload')} ${number === 1 ? 'was' : 'were'} refused${lostToo}, ${within}.`],
    page: 'refused',
  };
}

function jobs(news: AlertNews[]): Said {
  const ended = news.map(({ type, data }) => {
    const [kind = '', state] = type.split('.');
    return `${count(data.count, kind)} ${state}`;
  });
  return { subject: ended.join(', '), paragraphs: [`${ended.join(', ')}.`], page: 'jobs' };
}

function failing(news: AlertNews[]): Said {
  const failed = (type: string) => news.filter((each) => each.type === type).length;
  const [archives, webhooks] = [failed('archive.failing'), failed('webhook.failing')];
  const said = [
    ...(archives > 0 ? [count(archives, 'archive')] : []),
    ...(webhooks > 0 ? [count(webhooks, 'webhook')] : []),
  ].join(' and ');
  const verb = archives + webhooks === 1 ? 'fails' : 'fail';
  return {
    subject: `${said} ${verb}`,
    paragraphs: [`${said} ${verb}. The console says why. Sluice tries an archive again by itself.`],
    page: archives > 0 ? 'archive' : 'settings',
  };
}

interface Publication {
  version: number;
  changes: { path: string; message: string }[];
  more: number;
}

function publications(news: AlertNews[]): Said {
  const all = news.map(({ data }) => data as unknown as Publication);
  const versions = all.map(({ version }) => version).join(', ');
  const changes = all.flatMap(({ version, changes, more }) => [
    ...changes.map(({ path, message }) => `Version ${version}: ${path} ${message}`),
    ...(more > 0 ? [`Version ${version}: ${count(more, 'more change')}.`] : []),
  ]);
  return {
    subject: `schema version${all.length === 1 ? '' : 's'} ${versions} may refuse more`,
    paragraphs: ['A schema was published that may refuse uploads that were accepted before.', ...changes],
    page: 'schema',
  };
}

const byMatter: Record<Matter, Say> = { refused, silence, jobs, failing, publications };

/** What an alert says. `code` is the end of the link that ends it. */
export function toAlertLetter(
  to: string,
  { matter, news }: AlertContent,
  { name, domain }: Pick<ApplicationRecord, 'name' | 'domain'>,
  publicUrl: string,
  code: string,
): Letter {
  const said = byMatter[matter](news as [AlertNews, ...AlertNews[]]);
  const link = `${publicUrl}/applications/${domain}/${said.page}`;
  const unsubscribe = `${publicUrl}/api/alerts/${code}/unsubscribe`;
  const paragraphs: Paragraph[] = [
    { text: `${name} (${domain}):` },
    ...said.paragraphs.map((text) => ({ text })),
    { text: 'See it in the console:', link },
    { text: 'To get no more mails about this application:', link: unsubscribe },
  ];
  return { ...toLetter(to, `${name}: ${said.subject}`, paragraphs), unsubscribe };
}
