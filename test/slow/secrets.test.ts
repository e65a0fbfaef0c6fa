import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectStore } from '@sluice/jobs/connect.ts';
import { loadApiConfig } from '@sluice/shared/config/load.ts';
import { version } from '@sluice/shared/version.ts';
import { expect, it, onTestFinished } from 'vitest';
import { lowPort } from '../support/low-port.ts';
import { run } from '../support/service-process.ts';
import { call, ownStores, until } from '../support/sluice.ts';

const secret = 'hunter2-of-the-stores';

function withCredentials(url: string): string {
  const changed = new URL(url);
  changed.username = 'watcher';
  changed.password = secret;
  return changed.href;
}

it.each(['api', 'ingest-worker', 'export-worker'])(
  '%s logs that its stores refuse a password, and not the password, at the finest level',
  async (service) => {
    const env = ownStores();
    const { output } = run(service, {
      ...env,
      MONGODB_URL: withCredentials(env.MONGODB_URL as string),
      REDIS_URL: withCredentials(env.REDIS_URL as string),
      LOG_LEVEL: 'trace',
    });
    await until(async () => /redis\.away/.test(output.text));
    await until(async () => /Authentication failed/.test(output.text));
    expect(output.text).not.toContain(secret);
  },
);

/** What a process prints of these settings before it ends. */
function faultsOf(env: Record<string, string>): string {
  try {
    connectStore(loadApiConfig({ ...ownStores(), ...env }).mongodb, 'sluice-test', 'impatient');
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('they are taken');
}

it.each([
  ['MONGODB_URL', `mongodb://${secret}/watcher:${secret}@127.0.0.1/sluice`],
  ['MONGODB_URL', `mongodb://watcher:${secret}/@127.0.0.1/sluice`],
  ['MONGODB_URL', `mongodb://watcher:${secret}@@127.0.0.1/sluice`],
  ['MONGODB_URL', `mongodb://watcher:${secret}@127.0.0.1/sluice?tls=${secret}`],
  ['MONGODB_URL', `mongodb://watcher:${secret}@127.0.0.1/sluice?no-such-option=1`],
  ['REDIS_URL', `redis://watcher:${secret}@127.0.0.1:port`],
  ['REDIS_URL', `watcher:${secret}@127.0.0.1`],
])('a %s that is none is refused, and not repeated', (name, url) => {
  expect(faultsOf({ [name]: url })).toMatch(new RegExp(`^${name} `, 'm'));
  expect(faultsOf({ [name]: url })).not.toContain(secret);
});

it.each([
  ['short', 'hunter2'],
  ['short in a list', `${'x'.repeat(32)},hunter2`],
  ['empty in a list', 'hunter2-hunter2-hunter2-hunter2-hunter2,'],
])('a JWT_SECRET that is %s is refused, and not repeated', (_what, JWT_SECRET) => {
  const faults = faultsOf({ NODE_ENV: 'production', JWT_SECRET });
  expect(faults).toMatch(/^JWT_SECRET /m);
  expect(faults).not.toContain('hunter2');
});

it('serves with all its secrets in files, and says its version', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-secrets-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const { MONGODB_URL, REDIS_URL, JWT_SECRET, ...env } = ownStores();
  for (const [name, value] of Object.entries({ MONGODB_URL, REDIS_URL, JWT_SECRET })) {
    const file = join(dir, name);
    writeFileSync(file, `${value}\n`, { mode: 0o400 });
    env[`${name}_FILE`] = file;
  }
  const port = await lowPort();
  const { output } = run('api', { ...env, PORT: String(port), LOG_LEVEL: 'info' });
  await until(async () => output.text.includes('"event":"process.started"'), 60_000);
  expect(output.text).toContain(`"version":"${version()}"`);
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await call(url, 'GET', '/api/health/ready')).status === 200, 60_000);
  const { data } = (await call(url, 'GET', '/api/health/live')).body;
  expect(data).toEqual({ status: 'live', version: version() });
  const { mongodb, redis } = (await call(url, 'GET', '/api/health/ready')).body.data;
  expect([mongodb, redis]).toEqual(['up', 'up']);
  expect(output.text).not.toContain(JWT_SECRET);
});
