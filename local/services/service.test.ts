import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { tempDir } from '../../test/support/local/temp-dir.ts';
import { createChildren } from '../children.ts';
import { startService } from './service.ts';

function start(source: string, expectedLines: number) {
  const dir = tempDir();
  const entry = join(dir, 'service.js');
  writeFileSync(entry, source);
  const children = createChildren(dir);
  onTestFinished(() => children.stopAll());
  const lines: string[] = [];
  const said = Promise.withResolvers<string[]>();
  const log = (line: string) => {
    if (lines.push(line) === expectedLines) said.resolve(lines);
  };
  const delays = { firstMs: 10, mostMs: 40, forgetAfterMs: 60_000 };
  const service = startService({
    name: 'demo',
    entry,
    env: {},
    later: Promise.resolve({}),
    logs: dir,
    children,
    log,
    delays,
  });
  return { service, said: said.promise };
}

it('restarts a service that dies, with growing delays', async () => {
  const { said } = start('process.exit(3)', 4);
  const delays = (await said).map((line) => /exit code 3.* again in ([\d.]+) s/.exec(line)?.[1]);
  expect(delays).toEqual(['0.01', '0.02', '0.04', '0.04']);
});

it('gives up on one that never was ready and says why', async () => {
  const { service } = start(`console.error('sluice demo: PORT is not set'); process.exitCode = 1`, 1);
  await expect(service.failed).rejects.toThrow('demo cannot start: PORT is not set');
});

it('goes on with one that was ready before', async () => {
  const { service, said } = start('process.exit(1)', 2);
  service.markReady();
  expect(await said).toHaveLength(2);
});
