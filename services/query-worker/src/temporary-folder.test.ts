import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ownFolder } from '../../../test/support/archive-runs.ts';
import { openTemporaryFolder } from './temporary-folder.ts';

it('removes the folders of processes that were killed, and no others', async () => {
  const root = ownFolder();
  const make = (name: string) => {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, '1.parquet'), 'data');
    return join(root, name);
  };
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  const killed = make(`sluice-questions-${ended}-a`);
  // As in a container, where each process has the same id.
  const before = make(`sluice-questions-${process.pid}-b`);
  const other = make(`sluice-questions-${process.ppid}-c`);
  const foreign = make('another-program');
  const folder = await openTemporaryFolder(root);
  const second = await openTemporaryFolder(root);
  expect([killed, before, other, foreign, folder, second].map((path) => existsSync(path))).toEqual([
    false,
    false,
    true,
    true,
    true,
    true,
  ]);
  expect(dirname(folder)).toBe(root);
});
