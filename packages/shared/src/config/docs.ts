import { readFileSync, writeFileSync } from 'node:fs';
import { groups } from './variables.ts';

const page = new URL('../../../../docs/operations.md', import.meta.url);

interface Declared {
  default?: unknown;
  enum?: string[];
  description?: string;
}

function rowOf(name: string, variable: Declared, required: boolean): string[] {
  const fallback =
    variable.default === undefined
      ? required
        ? '**required**'
        : ''
      : variable.default === ''
        ? 'empty'
        : `\`${variable.default}\``;
  const choices = variable.enum ? ` One of ${variable.enum.map((each) => `\`${each}\``).join(', ')}.` : '';
  return [`\`${name}\``, fallback, `${variable.description}${choices}`];
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
    .map(({ title, schema }) => {
      const rows = Object.entries(schema.properties).map(([name, variable]) =>
        rowOf(name, variable as Declared, ((schema.required ?? []) as string[]).includes(name)),
      );
      return `### ${title}\n\n${toTable(['variable', 'default', 'meaning'], rows)}`;
    })
    .join('\n\n');
}

/** The text of the page with the table in its place. */
export const withTable = (text: string): string => replaceBlock(text, 'variables', variablesTable());

export const readPage = () => readFileSync(page, 'utf8');
export const writePage = (text: string) => writeFileSync(page, text);

if (import.meta.main) writePage(withTable(readPage()));
