import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../test/support/local/temp-dir.ts';
import { openDataDir } from './data-dir.ts';

it('keeps the secret across restarts, for its owner only', () => {
  const path = join(tempDir(), 'deep', 'data');
  const first = openDataDir(path);
  first.close();
  const second = openDataDir(path);
  expect(Buffer.from(first.jwtSecret, 'base64url')).toHaveLength(48);
  expect(second.jwtSecret).toBe(first.jwtSecret);
  expect(statSync(join(path, 'jwt-secret')).mode & 0o777).toBe(0o600);
});

it('says which folder it cannot write to', () => {
  const file = join(tempDir(), 'file');
  writeFileSync(file, '');
  expect(() => openDataDir(join(file, 'data'))).toThrow(
    `cannot write to the data folder ${file}/data (ENOTDIR)`,
  );
});

it.runIf(process.platform === 'linux')('says so too where the system makes no folders', () => {
  expect(() => openDataDir('/proc/sluice/data')).toThrow('cannot write to the data folder /proc/sluice/data');
});
