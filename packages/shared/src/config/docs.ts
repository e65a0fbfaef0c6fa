import { readFileSync, writeFileSync } from 'node:fs';
import { groups } from './variables.ts';

const page = new URL('../../../../docs/operations.md', import.meta.url);

interface Setting {
  default?: unknown;
  /** The default as text. */
  example?: string;
  choices?: string[];
  desc: string;
}

const code = (text: string) => (text === '' ? 'empty' : `\`${text}\``);

function row(name: string, { example, choices, desc, ...setting }: Setting): string[] {
  const unset = example === undefined ? ('default' in setting ? '' : '**required**') : code(example);
  return [`\`${name}\``, unset, `${desc}${choices ? ` One of ${choices.map(code).join(', ')}.` : ''}`];
}

/** As Markdown. */
export function toTable(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The text with another block between its marks. */
export function replaceBlock(text: string, name: string, block: string): string {
  const marked = new RegExp(`(<!-- ${name} -->\\n)[^]*(<!-- /${name} -->)`);
  return text.replace(marked, (_all, begin, end) => `${begin}\n${block}\n\n${end}`);
}

/** The table of all variables, as Markdown. */
export function variablesTable(): string {
  return groups
    .map(({ title, settings }) => {
      const rows = Object.entries<Setting>(settings).map(([name, setting]) => row(name, setting));
      return `### ${title}\n\n${toTable(['variable', 'default', 'meaning'], rows)}`;
    })
    .join('\n\n');
}

/** The text of the page with the table in its place. */
export const withTable = (text: string): string => replaceBlock(text, 'variables', variablesTable());

export const readPage = () => readFileSync(page, 'utf8');
export const writePage = (text: string) => writeFileSync(page, text);

if (import.meta.main) writePage(withTable(readPage()));
