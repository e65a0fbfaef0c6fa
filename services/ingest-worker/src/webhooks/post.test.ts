import type { lookup } from 'node:dns';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Unreachable } from '@sluice/shared/outbound.ts';
import { parseAllowed } from '@sluice/shared/public-address.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createReceiver } from '../../../../test/support/receiver.ts';
import { createPost } from './post.ts';

type Resolved = { address: string; family: number }[];

const allow = (...parts: string[]) => parseAllowed(parts) ?? expect.unreachable();
/** A resolver that gives one list after the other. */
function resolving(...answers: string[][]): typeof lookup {
  let asked = 0;
  const resolve = (_host: string, _options: object, done: (error: null, found: Resolved) => void) => {
    const found = answers[Math.min(asked++, answers.length - 1)] as string[];
    done(
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return resolve as unknown as typeof lookup;
}

describe('a private address gets nothing, and the reason is told', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://017700000001/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.64.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://localhost/',
    'http://localhost./',
    'http://LOCALHOST:80/',
  ])('%s', async (url) => {
    const sent = createPost(allow())(url, {}, '{}');
    await expect(sent).rejects.toThrow(Unreachable);
    await expect(sent).rejects.toThrow(/private address.*OUTBOUND_ALLOW/);
  });

  it.each([[['10.0.0.1']], [['93.184.215.14', '127.0.0.1']], [['::ffff:10.0.0.1']]])(
    'a name that resolves to %j',
    async (addresses) => {
      const sent = createPost(allow(), { resolve: resolving(addresses) })('http://example.com/', {}, '{}');
      await expect(sent).rejects.toThrow(/example\.com has the private address/);
    },
  );

  it('a name that resolves to another address the second time', async () => {
    const receiver = await createReceiver();
    const resolve = resolving(['127.0.0.1'], ['127.0.0.1']);
    const url = `http://rebound.example:${receiver.port}/`;
    await expect(createPost(allow(), { resolve })(url, {}, '{}')).rejects.toThrow(Unreachable);
    // The address that was checked is the one to which it connects.
    let asked = 0;
    const counting = ((...call: Parameters<typeof lookup>) => {
      asked += 1;
      resolve(...call);
    }) as unknown as typeof lookup;
    await createPost(allow('127.0.0.1'), { resolve: counting })(url, {}, '{}');
    expect(asked).toBe(1);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('what the operator allows is reached', () => {
  it.each(['127.0.0.1', '127.0.0.0/8', 'localhost'])('%s', async (part) => {
    const receiver = await createReceiver();
    const host = part === 'localhost' ? part : '127.0.0.1';
    const post = createPost(allow(part), { resolve: resolving(['127.0.0.1']) });
    expect(await post(`http://${host}:${receiver.port}/`, {}, '{}')).toEqual({ status: 200, body: 'ok' });
  });
});

/** A server that does so with each connection on which something came. */
async function answering(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.once('data', () => answer(socket));
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('an answer', () => {
  it('is cut after a KiB', async () => {
    const receiver = await createReceiver((response) => response.end('x'.repeat(5_000)));
    const { body } = await createPost(allow('127.0.0.1'))(receiver.url, {}, '{}');
    expect(body).toBe('x'.repeat(1_024));
  });

  it('that switches protocols is none', async () => {
    const url = await answering((socket) =>
      socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
    );
    await expect(createPost(allow('127.0.0.1'))(url, {}, '{}')).rejects.toThrow('without an answer');
  });

  it.each([
    ['begins', 'HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n', ''],
    ['has a head', 'x: y\r\n', 'HTTP/1.1 200 OK\r\n'],
    ['has trailers', 'x: y\r\n', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n'],
  ])('that %s without end costs little', async (_what, part, begin) => {
    let written = 0;
    const url = await answering((socket) => {
      const piece = part.repeat(100);
      function go(): void {
        while (socket.writable) {
          written += piece.length;
          if (!socket.write(piece)) return void socket.once('drain', go);
        }
      }
      socket.write(begin, go);
    });
    await expect(createPost(allow('127.0.0.1'))(url, {}, '{}')).rejects.toThrow(/within 64 KiB|overflow/i);
    // Some of it waits in the buffers of the connection.
    expect(written).toBeLessThan(32 * 1_024 ** 2);
  });

  it.each([
    ['that does not come', () => {}],
    ['that does not end', (response: import('node:http').ServerResponse) => void response.write('x')],
  ])('%s ends the try', async (_what, answer) => {
    const receiver = await createReceiver(answer);
    const sent = createPost(allow('127.0.0.1'), { timeoutMs: 300 })(receiver.url, {}, '{}');
    await expect(sent).rejects.toThrow('no answer within 0.3 s');
  });
});
