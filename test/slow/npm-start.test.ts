import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { firstCode } from '@sluice/api/accounts/first-code.ts';
import { connectStore } from '@sluice/jobs/connect.ts';
import { localUrl } from '@sluice/shared/config/local-stores.ts';
import { expect, it, onTestFinished } from 'vitest';
import { inherited } from '../../local/env.ts';
import { freePort } from '../../local/ports.ts';
import { identify } from '../../local/process-id.ts';
import { tempDir } from '../support/local/temp-dir.ts';

const fixture = (name: string) => join(import.meta.dirname, '../support/local', `${name}.ts`);
const usual = { api: fixture('api'), 'ingest-worker': fixture('worker'), 'export-worker': fixture('worker') };

async function start({
  dir = tempDir(),
  port = 0,
  services = usual as Record<string, string>,
  args: more = [] as string[],
} = {}) {
  const env = { ...inherited(), DATA_DIR: dir, HOST: '127.0.0.1', PORT: String(port || (await freePort())) };
  const args = [fixture('start-with'), JSON.stringify(services), ...more];
  const sluice = spawn(process.execPath, args, { env, cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(sluice, 'close');
  onTestFinished(async () => {
    sluice.kill('SIGTERM');
    await ended;
  });
  const output: Record<'out' | 'err', string> = { out: '', err: '' };
  sluice.stderr.on('data', (chunk) => {
    output.err += chunk;
  });
  const says = async (text: string | RegExp) => {
    while (typeof text === 'string' ? !output.out.includes(text) : !text.test(output.out))
      await Promise.race([once(sluice.stdout, 'data'), died(sluice, output)]);
  };
  sluice.stdout.on('data', (chunk) => {
    output.out += chunk;
  });
  return { sluice, dir, output, says, ended };
}

type Started = Awaited<ReturnType<typeof start>>;

async function died(sluice: ChildProcess, output: { err: string }): Promise<never> {
  await once(sluice, 'close');
  throw new Error(`Sluice ended: ${output.err}`);
}

const storeIn = (dir: string) =>
  connectStore({ url: localUrl(dir, 'mongod') as string, timeoutMs: 60_000 }, 'sluice-test', 'impatient');

/** What `ps` would show: name and identity of each process that was started in `dir`. */
const recorded = (dir: string) =>
  readdirSync(join(dir, 'run'))
    .filter((file) => file.endsWith('.pid'))
    .map((file) => ({ name: file.slice(0, -4), identity: readFileSync(join(dir, 'run', file), 'utf8') }));

/** As a crash would. */
function kill(dir: string, name: string): void {
  const identity = recorded(dir).find((process) => process.name === name)?.identity as string;
  process.kill(Number.parseInt(identity, 10), 'SIGKILL');
}

const alive = (identity: string) => identify(Number.parseInt(identity, 10)) === identity;

/** Sends a signal to one that is ready; it ends, and so do all its processes. */
async function expectNoneLeft({ sluice, dir, ended }: Started, signal: NodeJS.Signals): Promise<void> {
  const processes = recorded(dir);
  expect(processes.map(({ name }) => name)).toEqual([
    'api',
    'export-worker',
    'ingest-worker',
    'mongod',
    'redis',
  ]);
  expect(processes.every(({ identity }) => alive(identity))).toBe(true);
  sluice.kill(signal);
  expect(await ended).toEqual([0, null]);
  expect(processes.filter(({ identity }) => alive(identity))).toEqual([]);
}

it('prints a link for the first user while there is none, and leaves no process behind after SIGTERM and SIGHUP', async () => {
  const first = await start();
  await first.says('Sluice is ready');
  const link = /^ {2}(http:\S+)$/m.exec(first.output.out)?.[1];
  const { address } = /ready at (?<address>\S+)/.exec(first.output.out)?.groups ?? {};
  const secret = readFileSync(join(first.dir, 'jwt-secret'), 'utf8').trim();
  expect(link).toBe(`${address}/welcome#${firstCode(secret)}`);
  const store = storeIn(first.dir);
  await store.users.create({ username: 'ada', locale: 'en' });
  await store.close();
  await expectNoneLeft(first, 'SIGTERM');
  const second = await start({ dir: first.dir });
  await second.says('Sluice is ready');
  expect(second.output.out).not.toContain('/welcome');
  await expectNoneLeft(second, 'SIGHUP');
});

it('says in one line that another Sluice uses the folder; stops what a killed one left behind, goes on with its data, and leaves no process behind after SIGINT', async () => {
  const first = await start();
  await first.says('Sluice is ready');
  const other = await start({ dir: first.dir });
  expect(await other.ended).toEqual([1, null]);
  expect(other.output.err).toBe(
    `error: another Sluice is running in ${first.dir}, or still stopping (pid ${first.sluice.pid})\n`,
  );

  const left = recorded(first.dir).find(({ name }) => name === 'mongod')?.identity as string;
  first.sluice.kill('SIGKILL');
  await first.ended;
  expect(alive(left)).toBe(true);
  const second = await start({ dir: first.dir });
  await second.says('Sluice is ready');
  expect(second.output.out).toContain('Stopping mongod');
  expect(alive(left)).toBe(false);
  await expectNoneLeft(second, 'SIGINT');
});

it('starts a store again that dies; after five times in a minute it stops the rest, and can be started again', async () => {
  const { dir, output, says, ended } = await start();
  await says('Sluice is ready');
  for (let times = 1; times < 5; times++) {
    kill(dir, 'redis');
    await says(new RegExp(`(redis runs again[^]*){${times}}`));
  }
  expect(output.err).toBe('');
  kill(dir, 'redis');
  expect(await ended).toEqual([1, null]);
  expect(output.err).toMatch(
    /^error: redis stopped 5 times within a minute \(SIGKILL\), see .*\nWhat was acknowledged is kept: start it again.\n$/,
  );
  expect(recorded(dir)).toEqual([]);
  const second = await start({ dir });
  await second.says('Sluice is ready');
});

it('stops in order while a store is being started again', async () => {
  const { sluice, dir, output, says, ended } = await start();
  await says('Sluice is ready');
  kill(dir, 'mongod');
  await says('mongod stopped (SIGKILL)');
  sluice.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect(output.err).toBe('');
  expect(recorded(dir)).toEqual([]);
});

it('says in one line that the port is taken', async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  const { dir, output, ended } = await start({ port });
  expect(await ended).toEqual([1, null]);
  expect(output.err).toMatch(
    new RegExp(`^error: port ${port} is taken; choose another: PORT=\\d+ npm start\n$`),
  );
  expect(recorded(dir)).toEqual([]);
});

it('starts the stores alone when it is told to, and says in one line that the database holds only part of a backup', async () => {
  const first = await start({ args: ['--stores'] });
  await first.says('and no service');
  expect(recorded(first.dir).map(({ name }) => name)).toEqual(['mongod', 'redis']);
  const store = storeIn(first.dir);
  // biome-ignore lint/correctness/useYield: it ends before it gives anything
  async function* broken() {
    throw new Error('truncated');
  }
  await expect(store.backup.restore(Readable.from(broken()), new Date())).rejects.toThrow('truncated');
  await store.close();
  first.sluice.kill('SIGTERM');
  await first.ended;
  const second = await start({ dir: first.dir });
  expect(await second.ended).toEqual([1, null]);
  expect(second.output.err).toMatch(
    /^error: the database holds only part of a backup: .*--force.*npm start -- --stores.*\n$/,
  );
  expect(recorded(first.dir)).toEqual([]);
});

it('says in one line why a service cannot start, and stops the rest', async () => {
  const { dir, output, ended } = await start({
    services: { api: fixture('unconfigured'), worker: fixture('worker') },
  });
  expect(await ended).toEqual([1, null]);
  expect(output.err).toBe('error: api cannot start: JWT_SECRET must have at least 32 bytes in production\n');
  expect(recorded(dir)).toEqual([]);
});
