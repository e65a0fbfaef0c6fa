import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import Fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { addRequest } from './connections.ts';
import { slowBodies } from './slow-bodies.ts';

/** More than the kernel takes for a client that does not read. */
const answer = Buffer.alloc(32 * 1024 ** 2, 'x');
const endMs = 1_000;

async function serve(): Promise<{ port: number; accepted: () => Promise<Socket> }> {
  const app = Fastify({ forceCloseConnections: true });
  onTestFinished(() => app.close());
  app.addHook('onRequest', async (_request, reply) => addRequest(reply));
  slowBodies(app, { timeoutMs: 60_000, closingMs: 1_000, endMs });
  app.get('/', async () => answer);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  return { port, accepted: async () => (await once(app.server, 'connection'))[0] };
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  return socket;
}

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

it.each([
  ['nothing', ''],
  ['half a head', 'GET / HTTP/1.1\r\nHo'],
])(
  'a client that does not take the end of an answer is let go, when it sent %s behind',
  async (_what, more) => {
    const { port, accepted } = await serve();
    const [served, client] = [accepted(), open(port)];
    client.pause();
    client.write(get + more);
    await once(await served, 'close');
  },
);

it('a client that takes it slowly gets all of it', async () => {
  const { port } = await serve();
  const client = open(port);
  let bytes = 0;
  client.on('data', (piece) => {
    bytes += piece.length;
    client.pause();
    // In all it takes longer than `endMs`.
    setTimeout(() => client.resume(), bytes > answer.length / 2 ? 0 : 10);
  });
  client.write(get);
  while (bytes < answer.length) await once(client, 'data');
  expect(bytes).toBeGreaterThanOrEqual(answer.length);
});
