import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { partNames } from '../options.ts';

/** The results of a part. */
export interface Section {
  /** Begins with the part's name and a colon. Absent: it is the name. */
  title?: string;
  text: string;
  /** Faults that make the run a failure. */
  problems?: string[];
}

const intro = `# Results

Written by \`npm run bench\`, a part at a time; see [README.md](README.md). Only the ratios carry over to other machines.
`;

/** Replaces one section of the file and leaves the others. */
export function saveSection(
  file: string,
  part: string,
  machine: string,
  { title = part, text }: Section,
): void {
  const old = existsSync(file) ? readFileSync(file, 'utf8').split(/^## /m).slice(1) : [];
  const sections = new Map(old.map((section) => [section.split('\n')[0], section.trim()]));
  sections.set(title, `${title}\n\n${machine}.\n\n${text}`);
  const inOrder = partNames.flatMap((name) =>
    [...sections].flatMap(([title, section]) => (title?.split(':')[0] === name ? section : [])),
  );
  writeFileSync(file, [intro, ...inOrder.map((section) => `## ${section}\n`)].join('\n'));
}
