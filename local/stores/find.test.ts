import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { program } from '../../test/support/local/stand-ins.ts';
import { tempDir } from '../../test/support/local/temp-dir.ts';
import { createChildren } from '../children.ts';
import { type Kind, servers } from './find.ts';
import type { Writer } from './written-by.ts';

const kind: Kind = {
  what: 'Demo',
  programs: ['sluice-no-such-program'],
  oldest: 2,
  variable: 'DEMO_URL',
  image: 'sluice/no-such-image:0',
  wheels: {
    [`${process.platform}-${process.arch}`]: {
      requirement: 'demo==1',
      sha256: '',
      member: 'demo',
      megabytes: 1,
    },
  },
};

function find(dir: string, programs = kind.programs, writer?: Writer) {
  const options = { cacheDir: dir, children: createChildren(dir), log: () => {} };
  return Array.fromAsync(servers({ ...kind, programs }, writer, options));
}

it('uses the program that is installed', async () => {
  const dir = tempDir();
  const path = program(join(dir, 'demo'), 'echo demo v=3.1.4');
  expect(await find(dir, [path])).toEqual([
    { program: path, version: '3.1.4', source: `demo 3.1.4 at ${path}` },
  ]);
});

it('uses a cached download without asking for another', async () => {
  const dir = tempDir();
  const path = program(join(dir, 'demo-1', 'demo'), 'echo demo version v2.0.0');
  expect(await find(dir)).toEqual([{ program: path, version: '2.0.0', source: 'demo 2.0.0 from the cache' }]);
});

describe('over a folder that a program wrote', () => {
  it.each([
    ['that program alone', '3.1.4', ['3.1.4']],
    ['all that there are, once it was updated', '3.1.5', ['4.0.0', '2.0.0']],
  ])('uses %s', async (_, version, expected) => {
    const dir = tempDir();
    program(join(dir, 'demo-1', 'demo'), 'echo demo v2.0.0');
    const newer = program(join(dir, 'newer', 'demo'), 'echo demo v4.0.0');
    const writer = program(join(dir, 'writer', 'demo'), `echo demo v3.1.4`);
    const found = await find(dir, [newer], { program: writer, version });
    expect(found.map((server) => 'version' in server && server.version)).toEqual(expected);
  });
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
