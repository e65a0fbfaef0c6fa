import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const uploaders = join(root, 'packages/clients/uploaders');
const licence = readFileSync(join(root, 'LICENSE'), 'utf8');

it.each(globSync('*/LICENSE', { cwd: uploaders }))('%s is that of the repository', (file) => {
  expect(readFileSync(join(uploaders, file), 'utf8')).toBe(licence);
});
