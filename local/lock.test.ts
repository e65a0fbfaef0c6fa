import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../test/support/local/temp-dir.ts';
import { raceForLock } from '../test/support/lock-race.ts';
import { lockDir } from './lock.ts';
import { identify } from './process-id.ts';

it('names the process that uses the folder', () => {
  const dir = tempDir();
  const file = join(dir, 'lock');
  const lock = lockDir(dir, file);
  expect(() => lockDir(dir, file)).toThrow(
    `another Sluice is running in ${dir}, or still stopping (pid ${process.pid})`,
  );
  lock.release();
  lockDir(dir, file).release();
});

it.each([
  ['a process that has ended', String(spawnSync(process.execPath, ['--version']).pid)],
  ['another process that has its pid now', `${process.pid} 1`],
  ['nobody, empty since the disk was full', ''],
])('takes over the lock of %s', (_, holder) => {
  const dir = tempDir();
  const file = join(dir, 'lock');
  writeFileSync(file, holder);
  lockDir(dir, file);
  expect(readFileSync(file, 'utf8')).toBe(identify(process.pid));
});

it('lets one of those have the lock of a dead process who take it at the same moment', async () => {
  const module = JSON.stringify(join(import.meta.dirname, 'lock.ts'));
  const taker = `async () => {
    const { lockDir } = await import(${module});
    return async (dir) => lockDir(dir, dir + '/lock').release;
  }`;
  expect(await raceForLock(taker, 300)).toEqual(Array(300).fill(1));
});
