import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import Fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { answerClientError } from './client-errors.ts';
import { addRequest } from './connections.ts';

const headersTimeout = 500;
const connectionsCheckingInterval = 100;

/** A connection whose server has read half a head. */
async function openWithHalf(): Promise<Socket> {
  const app = Fastify({
    clientErrorHandler: answerClientError,
    forceCloseConnections: true,
    requestTimeout: 0,
    http: { headersTimeout, connectionsCheckingInterval },
  });
  onTestFinished(() => app.close());
  app.addHook('onRequest', async (_request, reply) => addRequest(reply));
  app.get('/', async () => 'whole');
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const accepted = once(app.server, 'connection') as Promise<[Socket]>;
  const client = connect(port, '127.0.0.1').setEncoding('utf8');
  onTestFinished(() => void client.destroy());
  client.write('GET / HTTP/1.1\r\nHo');
  const [served] = await accepted;
  while (served.bytesRead === 0) await new Promise(setImmediate);
  return client;
}

it('a head that does not come is answered with 408', async () => {
  const client = await openWithHalf();
  const [answer] = await once(client, 'data');
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});

it('a head that came while the server was busy is none that does not come', async () => {
  const client = await openWithHalf();
  client.write('st: a\r\n\r\n');
  const until = performance.now() + headersTimeout + 2 * connectionsCheckingInterval;
  while (performance.now() < until);
  const [answer] = await once(client, 'data');
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
});
