import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CuttableProxy, createCuttableProxy } from './cuttable-proxy.ts';
import { until } from './sluice.ts';

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

  it('is stalled when a text is sent, which arrives when it forwards again', async () => {
    const trap = proxy.stallWhenSent('secret', 1);
    const socket = await open();
    expect(await said(socket, 'a secret')).toBe('a secret');
    const answer = once(socket, 'data');
    socket.write('the secret');
    const direct = connect((echo.address() as { port: number }).port, '127.0.0.1');
    await said(direct, 'direct');
    direct.destroy();
    await until(async () => trap.left === 0);
    expect(heard).toEqual(['a secret', 'direct']);
    await proxy.restore();
    expect(String(await answer)).toBe('the secret');
  });

  /** Sends it in pieces; resolves when the connection has ended. */
  async function ended(socket: Socket, pieces: string[]): Promise<string[]> {
    const answers: string[] = [];
    socket.on('error', () => {}).on('data', (chunk) => answers.push(String(chunk)));
    const closed = once(socket, 'close');
    for (const piece of pieces) await new Promise((resolve) => socket.setNoDelay().write(piece, resolve));
    await closed;
    return answers;
  }

  it('loses the answer to a text as often as told, though it arrived', async () => {
    const trap = proxy.loseAnswerTo('secret', 2);
    const other = await open();
    for (const pieces of [['a secret'], ['a sec', 'ret']])
      expect(await ended(await open(), pieces)).toEqual([]);
    expect(heard.join('')).toBe('a secreta secret');
    expect(trap.left).toBe(0);
    expect(await said(other, 'secret')).toBe('secret');
  });

  it.each([
    ['when a text is sent, which does not arrive', 'cutWhenSent', ['hello']],
    ['in place of the answer to a text, which arrives', 'cutWhenAnswered', ['hello', 'a secret']],
  ] as const)('is cut %s', async (_what, how, arrived) => {
    const trap = proxy[how]('secret');
    const other = await open();
    await said(other, 'hello');
    const closed = once(other, 'close');
    expect(await ended(await open(), ['a secret'])).toEqual([]);
    await closed;
    await expect(open()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect([heard, trap.left]).toEqual([arrived, 0]);
    await proxy.restore();
    expect(await said(await open(), 'secret')).toBe('secret');
  });
});
