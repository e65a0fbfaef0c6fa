import { readFileSync, writeFileSync } from 'node:fs';
import { groups } from './variables.ts';

const page = new URL('../../../../docs/operations.md', import.meta.url);
const marked = /(<!-- variables -->\n)[\s\S]*(<!-- \/variables -->)/;

interface Setting {
  default?: unknown;
  /** The default as text. */
  example?: string;
  choices?: string[];
  desc: string;
}

const code = (text: string) => (text === '' ? 'empty' : `\`${text}\``);

function row(name: string, { example, choices, desc, ...setting }: Setting): string {
  const unset = example === undefined ? ('default' in setting ? '' : '**required**') : code(example);
  return `| \`${name}\` | ${unset} | ${desc}${choices ? ` One of ${choices.map(code).join(', ')}.` : ''} |`;
}

/** The table of all variables, as Markdown. */
export function variablesTable(): string {
  return groups
    .flatMap(({ title, settings }) => {
      const rows = Object.entries<Setting>(settings).map(([name, setting]) => row(name, setting));
      return [`### ${title}`, '', '| variable | default | meaning |', '| --- | --- | --- |', ...rows, ''];
    })
    .join('\n');
}

/** The text of the page with the table in its place. */
export function withTable(text: string): string {
  return text.replace(marked, (_all, begin, end) => `${begin}\n${variablesTable()}\n${end}`);
}

export const readPage = () => readFileSync(page, 'utf8');

if (import.meta.main) writeFileSync(page, withTable(readPage()));
