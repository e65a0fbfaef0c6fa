import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CuttableProxy, createCuttableProxy } from './cuttable-proxy.ts';

describe('a cuttable proxy in front of an echo server', () => {
  let echo: Server;
  let heard: string[];
  let proxy: CuttableProxy;

  beforeEach(async () => {
    heard = [];
    echo = createServer((socket) =>
      socket
        .on('error', () => {})
        .on('data', (chunk) => {
          heard.push(String(chunk));
          socket.write(chunk);
        }),
    );
    await once(echo.listen(0, '127.0.0.1'), 'listening');
    proxy = await createCuttableProxy({ host: '127.0.0.1', port: (echo.address() as { port: number }).port });
  });

  afterEach(async () => {
    await proxy.close();
    echo.close();
  });

  async function open(): Promise<Socket> {
    const socket = connect(proxy.port, proxy.host);
    await once(socket, 'connect');
    return socket;
  }

  async function said(socket: Socket, text: string): Promise<string> {
    const answer = once(socket, 'data');
    socket.write(text);
    return String((await answer)[0]);
  }

  it('forwards both ways', async () => {
    expect(await said(await open(), 'hello')).toBe('hello');
  });

  it('ends open connections and refuses new ones when cut', async () => {
    const socket = await open();
    const closed = once(
      socket.on('error', () => {}),
      'close',
    );
    await proxy.cut();
    await closed;
    await expect(open()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('serves at the same port again when restored', async () => {
    await proxy.cut();
    await proxy.restore();
    expect(await said(await open(), 'back')).toBe('back');
  });

  it('accepts but forwards nothing while stalled, then what was held back', async () => {
    const before = await open();
    await said(before, 'before');
    proxy.stall();
    const during = await open();
    const answers = [once(before, 'data'), once(during, 'data')];
    before.write('one');
    during.write('two');
    // A connection past the proxy: when it has been served, what was written earlier would have been too.
    const direct = connect((echo.address() as { port: number }).port, '127.0.0.1');
    await said(direct, 'direct');
    direct.destroy();
    expect(heard).toEqual(['before', 'direct']);
    await proxy.restore();
    expect((await Promise.all(answers)).map(String)).toEqual(['one', 'two']);
  });
});
