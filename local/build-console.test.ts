import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { tempDir } from '../test/support/local/temp-dir.ts';

const run = promisify(execFile);
const script = join(import.meta.dirname, 'build-console.cjs');

/** A console whose builder writes a line for each build. */
function project() {
  const root = tempDir();
  const at = (file: string) => join(root, file);
  const write = (file: string, text: string) => {
    mkdirSync(dirname(at(file)), { recursive: true });
    writeFileSync(at(file), text);
  };
  const builder = `const fs = require('node:fs');
fs.appendFileSync('../../builds', 'built\\n');
fs.mkdirSync('dist', { recursive: true });
process.exitCode = fs.readFileSync('src/main.tsx', 'utf8') === 'broken' ? 1 : 0;
`;
  write('pnpm-lock.yaml', 'lock');
  write('services/console/src/main.tsx', 'one');
  for (const name of ['json', 'schemas', 'tables']) write(`packages/${name}/src/a.ts`, 'one');
  write('services/console/node_modules/vite/bin/vite.js', builder);
  const build = () =>
    run(process.execPath, ['-e', `require(${JSON.stringify(script)}).buildConsole(${JSON.stringify(root)})`]);
  const builds = () =>
    existsSync(at('builds')) ? readFileSync(at('builds'), 'utf8').split('\n').length - 1 : 0;
  return { at, write, build, builds };
}

it('builds the console once, and again when its sources or the lockfile change', async () => {
  const { at, write, build, builds } = project();
  expect((await build()).stdout).toBe('Building the console, once\n');
  expect((await build()).stdout).toBe('');
  expect(builds()).toBe(1);
  write('services/console/src/main.tsx', 'two');
  await build();
  write('services/console/src/new.ts', '');
  await build();
  write('packages/schemas/src/a.ts', 'two');
  await build();
  appendFileSync(at('pnpm-lock.yaml'), 'more');
  await build();
  expect(builds()).toBe(5);
});

it('does not build for what is made, or for tests', async () => {
  const { write, build, builds } = project();
  await build();
  for (const made of [
    'dist/assets/a.js',
    'node_modules/react/index.js',
    'src/api/description.d.ts',
    'src/a.test.ts',
  ])
    write(`services/console/${made}`, 'changed');
  await build();
  expect(builds()).toBe(1);
});

it('warns when a build fails, and tries again the next time', async () => {
  const { at, write, build, builds } = project();
  await build();
  write('services/console/src/main.tsx', 'broken');
  expect((await build()).stderr).toBe('warning: the console could not be built; the API works without it\n');
  expect(existsSync(at('services/console/dist'))).toBe(false);
  await build();
  expect(builds()).toBe(3);
});
