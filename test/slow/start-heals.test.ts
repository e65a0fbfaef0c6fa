import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../local/ports.ts';
import { createClient } from '../compose/client.ts';
import { startOracle } from '../faults/oracle.ts';
import { tempDir } from '../support/local/temp-dir.ts';
import { processEnv } from '../support/process-env.ts';
import { call, until } from '../support/sluice.ts';

const program = join(import.meta.dirname, '../../local/start.ts');
/** On a machine that is busy with other tests. */
const startMs = 60_000;

/** What `npm start` runs. */
async function startAll() {
  const dir = tempDir();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...processEnv({ DATA_DIR: dir, PORT: String(port), BCRYPT_COST: '4' }),
    HOME: process.env.HOME,
  };
  const child = spawn(process.execPath, [program], { cwd: dir, env, stdio: 'ignore' });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const isReady = () =>
    call(url, 'GET', '/api/health/ready').then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(isReady, startMs);
  return { dir, url: `${url}/api`, child };
}

it('loses and doubles no upload when its stores are killed', async () => {
  const { dir, url, child } = await startAll();
  const oracle = startOracle(await createClient(url), { connections: 4 });
  for (const store of ['redis', 'mongod', 'redis', 'mongod']) {
    await oracle.goOn(100);
    process.kill(Number.parseInt(readFileSync(join(dir, 'run', `${store}.pid`), 'utf8'), 10), 'SIGKILL');
  }
  await oracle.goOn(100);
  expect(await oracle.verdict()).toMatchObject({ lost: 0, changed: 0, doubled: 0, unknown: 0 });
  expect(child.exitCode).toBeNull();
});
