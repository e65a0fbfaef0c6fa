import { readFileSync } from 'node:fs';
import type { Language } from '../languages/language.ts';

/** An uploader, apart from its marked lines. */
export interface Template {
  before: string;
  after: string;
  /** No type may have such a name. */
  identifiers: Set<string>;
}

const read = new Map<string, Template>();

export function templateOf({ source }: Language): Template {
  const known = read.get(source);
  if (known) return known;
  const text = readFileSync(new URL(`../../uploaders/${source}`, import.meta.url), 'utf8');
  const [before, after] = text.split(/^.*BEGIN SCHEMA[\s\S]*END SCHEMA.*\n/m);
  if (before === undefined || after === undefined) throw new Error(`${source} has no marked lines`);
  const code = `${before}${after}`.replace(/^\s*(\/\/|\/?\*|#).*$/gm, '');
  // In Java, the user names the package.
  const imports = before.replace(/^package [\w.]+;\n+/, '').trimEnd();
  const template = { before: imports, after, identifiers: new Set(code.match(/\b[A-Z]\w*/g)) };
  read.set(source, template);
  return template;
}
