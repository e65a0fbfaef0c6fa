import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../../test/support/local/temp-dir.ts';
import { createChildren } from '../children.ts';
import { findServer, type Kind } from './find.ts';

const kind: Kind = {
  what: 'Demo',
  programs: ['sluice-no-such-program'],
  oldest: 2,
  variable: 'DEMO_URL',
  image: 'sluice/no-such-image:0',
  wheels: {
    [`${process.platform}-${process.arch}`]: {
      ...{ requirement: 'demo==1', sha256: '' },
      member: 'demo',
      megabytes: 1,
    },
  },
};

function program(path: string, script: string): string {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

function find(dir: string, programs = kind.programs) {
  const shared = { cacheDir: dir, children: createChildren(dir) };
  return findServer({ ...kind, programs }, { ...shared, log: () => {} });
}

it('uses the program that is installed', async () => {
  const dir = tempDir();
  const path = program(join(dir, 'demo'), 'echo demo v=3.1.4');
  expect(await find(dir, [path])).toEqual({ path, source: `${path} 3.1.4 on PATH` });
});

it('uses a cached download without asking for another', async () => {
  const dir = tempDir();
  const path = program(join(dir, 'demo-1', 'demo'), 'echo demo version v2.0.0');
  expect(await find(dir)).toEqual({ path, source: 'demo 2.0.0 from the cache' });
});

it.each([
  ['is not there', undefined, 'not found'],
  ['is too old', 'echo demo v1.9.0', 'version 1.9.0 is older than 2'],
  ['lacks a library', 'echo "libdemo.so: not there" >&2; exit 127', 'libdemo.so: not there'],
])('says what was tried and what to do when the installed program %s', async (_, script, problem) => {
  const dir = tempDir();
  program(join(dir, 'demo-1', 'demo'), 'exit 1');
  const path = join(dir, 'demo');
  if (script) program(path, script);
  const error: Error = await find(dir, [path]).then(
    () => expect.unreachable(),
    (error) => error,
  );
  expect(error.message).toContain(`no Demo to run (${path}: ${problem}; download: `);
  expect(error.message).toContain('; set DEMO_URL, install ');
});
