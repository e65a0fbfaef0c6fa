import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'docs/images');
const read = (page: string) => readFileSync(join(root, page), 'utf8');

it('each picture of the docs is in a page, and has at most 150 KB', () => {
  const text = ['README.md', 'docs/console.md'].map(read).join();
  const shown = new Set(Array.from(text.matchAll(/images\/([\w-]+\.png)/g), ([, name]) => name));
  const files = readdirSync(folder);
  expect(new Set(files)).toEqual(shown);
  for (const file of files) expect(statSync(join(folder, file)).size, file).toBeLessThan(150_000);
});
