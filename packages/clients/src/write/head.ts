import { createHash } from 'node:crypto';
import { comment } from '../texts.ts';

interface Head {
  /** How to install what the file needs. */
  how?: string;
  domain: string;
  rawSchema: string;
  version: number;
  /** How to use the file. */
  usage: string[];
  /** What the types do not say. */
  notes: string[];
}

/** The first lines of a file, as comments. */
export function headOf(
  { name, comment: mark }: { name: string; comment: string },
  { how, domain, rawSchema, version, usage, notes }: Head,
): string[] {
  const hash = createHash('sha256').update(rawSchema).digest('hex').slice(0, 16);
  const lines = [
    `Sluice client for ${name}: application ${domain}, schema version ${version}, hash ${hash}.`,
    'Made from the schema. To renew it when the schema changes: sluice client update.',
    ...(how ? [`Install: ${how}.`] : []),
    ...usage,
    ...(notes.length > 0 ? ['Not typed:', ...indented(notes.map(comment))] : []),
  ];
  return lines.map((line) => `${mark} ${line}`.trimEnd());
}

export const indented = (lines: string[]) => lines.map((line) => `    ${line}`.trimEnd());
