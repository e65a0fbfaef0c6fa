import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startRedis } from '../../local/stores/redis.ts';
import { onPathFirst, refusing } from '../support/local/stand-ins.ts';
import { crash, storeOptions } from '../support/local/stores.ts';
import { tempDir } from '../support/local/temp-dir.ts';

async function ask(url: string, commands: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`${commands}\r\nQUIT\r\n`);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

it('keeps what it was told and evicts nothing', async () => {
  const options = storeOptions(tempDir());
  const first = await startRedis(options);
  await ask(first.url, 'SET kept yes');
  await first.stop();
  const again = await startRedis(options);
  expect(await ask(again.url, 'GET kept')).toContain('yes');
  expect(await ask(again.url, 'CONFIG GET maxmemory-policy')).toContain('noeviction');
});

it('runs again after each crash, and is given up after five in a minute', async () => {
  const options = storeOptions(tempDir());
  const { broken, url } = await startRedis(options);
  for (let crashes = 0; crashes < 4; crashes++) {
    const again = once(options.lines, 'redis runs again');
    crash(options.dataDir, 'redis');
    await again;
    expect(await ask(url, 'PING')).toContain('PONG');
  }
  crash(options.dataDir, 'redis');
  await expect(broken).rejects.toThrow('redis stopped 5 times within a minute (SIGKILL), see');
});

const none = { 'valkey-server': refusing('99.0.1'), 'redis-server': refusing('99.0.2') };

/** Makes a folder with a key in it. */
async function write(dataDir: string): Promise<void> {
  const store = await startRedis(storeOptions(dataDir));
  await ask(store.url, 'SET kept yes');
  await store.stop();
}

const recordOf = (dataDir: string) => join(dataDir, 'redis', 'written-by.json');

/** The program that wrote the folder was removed. */
function loseWriter(dataDir: string): void {
  writeFileSync(recordOf(dataDir), JSON.stringify({ program: '/removed/redis-server', version: '98.0.0' }));
}

it('goes on with the program that wrote the folder, whatever is installed later', async () => {
  const dataDir = tempDir();
  await write(dataDir);
  onPathFirst(none);
  const { url } = await startRedis(storeOptions(dataDir));
  expect(await ask(url, 'GET kept')).toContain('yes');
});

it('takes another program that can read the folder, and goes on with that one', async () => {
  const dataDir = tempDir();
  await write(dataDir);
  const { program: real } = JSON.parse(readFileSync(recordOf(dataDir), 'utf8'));
  loseWriter(dataDir);
  const path = onPathFirst({ 'valkey-server': refusing('99.0.1'), 'redis-server': `exec ${real} "$@"` });
  const store = await startRedis(storeOptions(dataDir));
  expect(await ask(store.url, 'GET kept')).toContain('yes');
  expect(store.source).toContain(`at ${path}/redis-server`);
  await store.stop();
  onPathFirst(none);
  expect((await startRedis(storeOptions(dataDir))).source).toBe(store.source);
});

it('sets a folder aside that no program can read, says so and begins anew', async () => {
  const dataDir = tempDir();
  await write(dataDir);
  const files = join(dataDir, 'redis', 'appendonlydir');
  for (const file of readdirSync(files)) writeFileSync(join(files, file), 'torn');
  const options = storeOptions(dataDir);
  const { url } = await startRedis(options);
  const aside = readdirSync(dataDir).find((name) => name.startsWith('redis.unreadable-')) as string;
  expect(options.said).toEqual([
    expect.stringMatching(
      `^Redis begins with an empty folder: .* \\(.*\\) cannot use the old one, now ${join(dataDir, aside)}; `,
    ),
  ]);
  const [file = ''] = readdirSync(join(dataDir, aside, 'appendonlydir'));
  expect(readFileSync(join(dataDir, aside, 'appendonlydir', file), 'utf8')).toBe('torn');
  expect(await ask(url, 'GET kept')).not.toContain('yes');
});

it('leaves the folder where no program starts over an empty one either', async () => {
  const dataDir = tempDir();
  await write(dataDir);
  loseWriter(dataDir);
  const path = onPathFirst(none);
  const options = { ...storeOptions(dataDir), cacheDir: tempDir() };
  const log = join(dataDir, 'logs', 'redis.log');
  await expect(startRedis(options)).rejects.toThrow(
    `Redis cannot start: valkey-server 99.0.1 at ${path}/valkey-server (exit code 1), ` +
      `redis-server 99.0.2 at ${path}/redis-server (exit code 1) cannot use ${join(dataDir, 'redis')}, ` +
      `see ${log}; install redis-server 98.0.0, which wrote this folder`,
  );
  expect(readdirSync(dataDir).filter((name) => name.startsWith('redis'))).toEqual(['redis']);
  expect(readdirSync(join(dataDir, 'redis'))).toContain('appendonlydir');
});

it('does not set a folder aside because the start is stopped', async () => {
  const dataDir = tempDir();
  await write(dataDir);
  loseWriter(dataDir);
  const slow = `case "$1" in --version) echo "v=99.0.1";; *) touch ${dataDir}/began; exec sleep 600;; esac`;
  onPathFirst({ 'valkey-server': slow, 'redis-server': slow });
  const options = storeOptions(dataDir);
  const starting = expect(startRedis(options)).rejects.toThrow('redis stopped (SIGTERM)');
  await expect.poll(() => existsSync(join(dataDir, 'began')), { timeout: 60_000 }).toBe(true);
  await options.children.stopAll();
  await starting;
  expect(readdirSync(dataDir).filter((name) => name.startsWith('redis'))).toEqual(['redis']);
});
