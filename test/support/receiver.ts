import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every type
  event: any;
  at: number;
}

type Answer = (response: ServerResponse, received: Received, count: number) => void;

/** A server for webhooks on 127.0.0.1, which keeps what it gets. Call in a test. */
export async function createReceiver(answer: Answer = (response) => response.end('ok')) {
  const received: Received[] = [];
  let reply = answer;
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    const one = { headers: request.headers, body, event: JSON.parse(body), at: Date.now() };
    received.push(one);
    reply(response, one, received.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    /** Changes what it answers from now on. */
    answer(next: Answer): void {
      reply = next;
    },
    of: (type: string) => received.filter(({ event }) => event.type === type),
  };
}
