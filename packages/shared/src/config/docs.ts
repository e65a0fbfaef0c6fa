import { readFileSync, writeFileSync } from 'node:fs';
import { groups } from './variables.ts';

const page = new URL('../../../../docs/operations.md', import.meta.url);
const marked = /(<!-- variables -->\n)[\s\S]*(<!-- \/variables -->)/;

interface Declared {
  default?: unknown;
  enum?: string[];
  description?: string;
}

function row(name: string, variable: Declared, required: boolean): string {
  const fallback =
    variable.default === undefined
      ? required
        ? '**required**'
        : ''
      : variable.default === ''
        ? 'empty'
        : `\`${variable.default}\``;
  const choices = variable.enum ? ` One of ${variable.enum.map((each) => `\`${each}\``).join(', ')}.` : '';
  return `| \`${name}\` | ${fallback} | ${variable.description}${choices} |`;
}

/** The table of all variables, as Markdown. */
export function variablesTable(): string {
  return groups
    .map(({ title, schema }) => {
      const rows = Object.entries(schema.properties).map(([name, variable]) =>
        row(name, variable as Declared, ((schema.required ?? []) as string[]).includes(name)),
      );
      return [
        `### ${title}`,
        '',
        '| variable | default | meaning |',
        '| --- | --- | --- |',
        ...rows,
        '',
      ].join('\n');
    })
    .join('\n');
}

/** The text of the page with the table in its place. */
export function withTable(text: string): string {
  return text.replace(marked, (_all, begin, end) => `${begin}\n${variablesTable()}\n${end}`);
}

export const readPage = () => readFileSync(page, 'utf8');

if (import.meta.main) writeFileSync(page, withTable(readPage()));
