import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { readDescription } from '../clients/description.ts';
import { startSluice } from '../support/sluice.ts';

const here = join(import.meta.dirname, '../clients');
const run = promisify(execFile);
/** With what it prints, which a failure has as well. */
const node = (...args: string[]) =>
  run(process.execPath, args).then(
    ({ stdout }) => stdout,
    (error) => Promise.reject(new Error(error.stdout + error.stderr)),
  );

/** Members of an interface, as the generator writes them. */
function membersOf(source: string, opening: string, indent: string): string[] {
  const [, rest = ''] = source.split(`${opening} {\n`);
  const [body = ''] = rest.split(`\n${indent}}`);
  return [...body.matchAll(new RegExp(`^${indent} {4}(\\w+):`, 'gm'))].map(([, name]) => name as string);
}

const strict = {
  target: 'esnext',
  module: 'nodenext',
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  types: ['node'],
  typeRoots: [join(here, '../../node_modules/@types')],
};

it('openapi-typescript makes types with which a program compiles, and takes data in and out', async () => {
  const sluice = await startSluice();
  onTestFinished(() => sluice.stop());
  const { text, operations, schemas } = await readDescription(sluice);
  const dir = await mkdtemp(join(tmpdir(), 'sluice-client-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  await cp(join(here, 'typescript/journey.ts'), join(dir, 'journey.ts'));
  await symlink(join(here, 'node_modules'), join(dir, 'node_modules'));
  await writeFile(join(dir, 'package.json'), '{"type":"module"}');
  await writeFile(join(dir, 'openapi.json'), text);
  await writeFile(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions: strict, include: ['*.ts'] }));

  const types = join(dir, 'sluice.d.ts');
  await node(
    join(here, 'node_modules/openapi-typescript/bin/cli.js'),
    join(dir, 'openapi.json'),
    '-o',
    types,
  );
  const source = await readFile(types, 'utf8');
  const names = operations.map(({ operationId }) => operationId);
  expect(membersOf(source, 'export interface operations', '').sort()).toEqual(names.sort());
  expect(membersOf(source, '    schemas:', '    ').sort()).toEqual(schemas.sort());

  await node(join(here, '../../node_modules/typescript/bin/tsc'), '-p', dir);
  expect(await node(join(dir, 'journey.ts'), sluice.url)).toBe('celsius\r\n21.5\r\n22\r\n\n');
});
