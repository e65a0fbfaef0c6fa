import { existsSync, readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const pages = (
  await Array.fromAsync(glob(['*.md', 'docs/**/*.md', 'bench/*.md', 'examples/*.md'], { cwd: root }))
).sort();

/** Where the links of a page lead, without those to other sites. */
function linksOf(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  const targets = [...text.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target]) => target as string);
  return targets.filter((target) => !/^[a-z]+:/i.test(target));
}

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

function hasAnchor(page: string, anchor: string): boolean {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm);
  return [...headings].some(([, heading]) => anchorOf(heading as string) === anchor);
}

it('finds the pages', () => {
  expect(pages).toEqual(
    expect.arrayContaining(['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'docs/operations.md']),
  );
});

it.each(pages)('every link of %s leads to a file, and to a heading where it names one', (page) => {
  const broken = linksOf(page).filter((link) => {
    const [path, anchor] = link.split('#') as [string, string | undefined];
    const target = path === '' ? join(root, page) : join(root, dirname(page), path);
    return !existsSync(target) || (anchor !== undefined && !hasAnchor(target, anchor));
  });
  expect(broken).toEqual([]);
});
