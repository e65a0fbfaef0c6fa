import type { AlertContent, Matter } from '@sluice/store/alerts/mails.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { type Letter, type Paragraph, toLetter } from './letter.ts';

type News = AlertContent['news'][number];

interface Said {
  subject: string;
  paragraphs: string[];
  /** The page of the application that shows it. */
  page: string;
}

type Say = (news: [News, ...News[]]) => Said;

const hourMs = 3_600_000;

const count = (number: unknown, what: string) =>
  `${Number(number).toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;

/** `90` → `90 minutes`, `1440` → `1 day`. */
function inWords(minutes: number): string {
  if (minutes % 1_440 === 0) return count(minutes / 1_440, 'day');
  return minutes % 60 === 0 ? count(minutes / 60, 'hour') : count(minutes, 'minute');
}

const inUtc = (time: string) => `${time.slice(0, 16).replace('T', ' ')} UTC`;

function silence([{ data }]: [News, ...News[]]): Said {
  const { minutes, last_entry_at: last } = data as { minutes: number; last_entry_at?: string };
  const came = last ? `The last one came at ${inUtc(last)}.` : 'It has no entry yet.';
  const from = last && new Date(Date.parse(last) - hourMs).toISOString();
  return {
    subject: `no entry for ${inWords(minutes)}`,
    paragraphs: [`No entry was stored for ${inWords(minutes)}. ${came}`],
    page: from ? `entries?from=${encodeURIComponent(from)}` : 'entries',
  };
}

const byMatter: Partial<Record<Matter, Say>> = { silence };

/** What an alert says. `code` is the end of the link that ends it. */
export function toAlertLetter(
  to: string,
  { matter, news }: AlertContent,
  { name, domain }: Pick<ApplicationRecord, 'name' | 'domain'>,
  publicUrl: string,
  code: string,
): Letter {
  const said = (byMatter[matter] as Say)(news as [News, ...News[]]);
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
