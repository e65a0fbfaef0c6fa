import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { crash, storeOptions } from '../../test/support/local/stores.ts';
import { tempDir } from '../../test/support/local/temp-dir.ts';
import { startRedis } from './redis.ts';

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
