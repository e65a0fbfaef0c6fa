import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { until } from '../support/sluice.ts';

/** A server that answers each request with 503, and a `Retry-After` of a second. Call in a test. */
export async function startAwayServer() {
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    request.resume();
    response.writeHead(503, { 'retry-after': '1' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Resolves after so many requests more. */
    async requests(count: number): Promise<void> {
      const enough = requests + count;
      await until(async () => requests >= enough);
    },
  };
}
