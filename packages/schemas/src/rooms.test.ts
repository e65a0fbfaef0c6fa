import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';

/** Each folder may import from those before it, and from the files beside them. */
const rooms = ['patterns', 'formats', 'check', 'judge', 'explain', 'fields', 'infer', 'changes', 'compile'];

const src = import.meta.dirname;
const files = await Array.fromAsync(glob('**/*.ts', { cwd: src }));
/** The position of a file's room; -1 for the files of no room. */
const roomOf = (file: string) => (file.includes('/') ? rooms.indexOf(file.split('/')[0] as string) : -1);

it('has a place for each folder', () => {
  expect(files.filter((file) => file.includes('/') && roomOf(file) < 0)).toEqual([]);
});

it('imports nothing from a folder above', () => {
  const up = files
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) =>
      [...readFileSync(join(src, file), 'utf8').matchAll(/from '(\.[^']+)'/g)]
        .map(([, to]) => relative(src, join(src, dirname(file), to as string)))
        .filter((to) => roomOf(to) > roomOf(file))
        .map((to) => `${file} imports ${to}`),
    );
  expect(up).toEqual([]);
});
