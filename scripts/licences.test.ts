import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isAllowed, productionPackages } from './licences.ts';

const root = join(import.meta.dirname, '..');

it('finds the packages of production and theirs, no tools, and all of them allowed', () => {
  const packages = productionPackages(root);
  const names = packages.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['sluice', '@sluice/api', 'fastify', 'mongodb', 'bson', 'ioredis']),
  );
  expect(names).not.toContain('vitest');
  expect(packages.filter(({ licence }) => !isAllowed(licence))).toEqual([]);
});

it.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['(MIT AND Zlib)', true],
  ['MIT AND GPL-3.0-only', false],
  ['GPL-3.0-only OR (MIT AND SSPL-1.0)', false],
  ['AGPL-3.0-only', false],
  ['SEE LICENSE IN LICENSE.md', false],
  ['UNLICENSED', false],
  ['', false],
])('a package under %j is allowed: %s', (licence, verdict) => {
  expect(isAllowed(licence)).toBe(verdict);
});

it('sees a licence that is not allowed behind a dependency, and one that is missing', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-licences-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const add = async (path: string, manifest: object) => {
    await mkdir(join(directory, path), { recursive: true });
    await writeFile(join(directory, path, 'package.json'), JSON.stringify({ version: '1.0.0', ...manifest }));
  };
  await add('.', {
    name: 'top',
    license: 'MIT',
    dependencies: { one: '1' },
    optionalDependencies: { absent: '1' },
  });
  await add('node_modules/one', { name: 'one', licenses: [{ type: 'MIT' }], dependencies: { two: '1' } });
  await add('node_modules/one/node_modules/two', {
    name: 'two',
    license: 'SSPL-1.0',
    dependencies: { three: '1' },
  });
  await add('node_modules/three', { name: 'three' });
  const refused = productionPackages(directory).filter(({ licence }) => !isAllowed(licence));
  expect(refused.map(({ name }) => name)).toEqual(['three', 'two']);
});

it('lists them with npm run licences', async () => {
  const { promise, resolve } = Promise.withResolvers<{ code: number; out: string }>();
  execFile(process.execPath, [join(import.meta.dirname, 'licences.ts')], (error, out) =>
    resolve({ code: Number(error?.code ?? 0), out }),
  );
  const { code, out } = await promise;
  expect(code).toBe(0);
  expect(out).toMatch(/^fastify \d+\.\d+\.\d+: MIT$/m);
});
