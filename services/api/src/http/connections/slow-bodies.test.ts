import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import Fastify from 'fastify';
import { describe, it, type TestContext } from 'vitest';
import { addRequest } from './connections.ts';
import { slowBodies } from './slow-bodies.ts';

/** More than the kernel takes for a client that does not read. */
const answer = Buffer.alloc(32 * 1024 ** 2, 'x');
const endMs = 1_000;

type Test = Pick<TestContext, 'onTestFinished'>;

async function serve({ onTestFinished }: Test): Promise<{ port: number; accepted: () => Promise<Socket> }> {
  const app = Fastify({ forceCloseConnections: true });
  onTestFinished(() => app.close());
  app.addHook('onRequest', async (_request, reply) => addRequest(reply));
  slowBodies(app, { timeoutMs: 60_000, closingMs: 1_000, endMs });
  app.get('/', async () => answer);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  return { port, accepted: async () => (await once(app.server, 'connection'))[0] };
}

function open({ onTestFinished }: Test, port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  return socket;
}

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

// They mostly wait, so they run at once.
describe.concurrent('a client', () => {
  it.for([
    ['nothing', ''],
    ['half a head', 'GET / HTTP/1.1\r\nHo'],
  ] as const)(
    'that does not take the end of an answer is let go, when it sent %s behind',
    async ([_what, more], test) => {
      const { port, accepted } = await serve(test);
      const [served, client] = [accepted(), open(test, port)];
      client.pause();
      client.write(get + more);
      await once(await served, 'close');
    },
  );

  it('that takes it slowly gets all of it', async (test) => {
    const { port } = await serve(test);
    const client = open(test, port);
    let bytes = 0;
    client.on('data', (piece) => {
      bytes += piece.length;
      client.pause();
      // In all it takes longer than `endMs`.
      setTimeout(() => client.resume(), bytes > answer.length / 2 ? 0 : 10);
    });
    client.write(get);
    while (bytes < answer.length) await once(client, 'data');
    test.expect(bytes).toBeGreaterThanOrEqual(answer.length);
  });
});
