import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createChildren } from '../children.ts';
import { tempDir } from '../fixtures/temp-dir.ts';
import { findServer, type Kind } from './find.ts';

const kind: Kind = {
  what: 'Demo',
  programs: ['sluice-no-such-program'],
  oldest: 2,
  variables: { url: 'DEMO_URL', binary: 'DEMO_BINARY' },
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

function find(dir: string, binary?: string) {
  const shared = { cacheDir: dir, image: 'sluice/no-such-image:0', children: createChildren(dir) };
  return findServer(kind, { ...shared, binary, log: () => {} });
}

it('uses the program that is set', async () => {
  const dir = tempDir();
  const path = program(join(dir, 'demo'), 'echo demo v=3.1.4');
  expect(await find(dir, path)).toEqual({ path, source: 'demo 3.1.4 from DEMO_BINARY' });
});

it('uses a cached download without asking for another', async () => {
  const dir = tempDir();
  const path = program(join(dir, 'demo-1', 'demo'), 'echo demo version v2.0.0');
  expect(await find(dir)).toEqual({ path, source: 'demo 2.0.0 from the cache' });
});

it.each([
  ['is too old', 'echo demo v1.9.0', 'version 1.9.0 is older than 2'],
  ['lacks a library', 'echo "libdemo.so: not there" >&2; exit 127', 'libdemo.so: not there'],
])('says that the program that is set %s', async (_, script, problem) => {
  const dir = tempDir();
  const path = program(join(dir, 'demo'), script);
  await expect(find(dir, path)).rejects.toThrow(`DEMO_BINARY=${path} cannot be used: ${problem}`);
});

it('says what was tried and what to set when there is nothing to run', async () => {
  const dir = tempDir();
  program(join(dir, 'demo-1', 'demo'), 'exit 1');
  await expect(find(dir)).rejects.toThrow(
    /^no Demo to run \(sluice-no-such-program: not found; download: .*; Docker: .*\); set DEMO_URL or DEMO_BINARY/,
  );
});
