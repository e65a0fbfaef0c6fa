import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { Metrics, MetricsConfig } from './metrics.ts';

const hash = (text: string) => createHash('sha256').update(text).digest();

/** Whether `Authorization` has the token; compared in constant time. Without a token everyone may scrape. */
export function createMayScrape(token: string | undefined): (authorization: string | undefined) => boolean {
  if (token === undefined) return () => true;
  const expected = hash(`Bearer ${token}`);
  return (authorization = '') => timingSafeEqual(hash(authorization), expected);
}

function statusOf(
  { method, url = '', headers }: IncomingMessage,
  mayScrape: (authorization: string | undefined) => boolean,
): number {
  if (method !== 'GET' || url.split('?')[0] !== '/metrics') return 404;
  return mayScrape(headers.authorization) ? 200 : 401;
}

/** Answers `GET /metrics` on the port of its own, on all addresses; nothing where that is 0. Returns how to stop. Rejects when the port is taken. */
export async function serveMetrics({ port, token }: MetricsConfig, metrics: Metrics): Promise<() => void> {
  if (port === 0) return () => {};
  const mayScrape = createMayScrape(token);
  const server = createServer((request, response) => {
    const status = statusOf(request, mayScrape);
    if (status !== 200) return response.writeHead(status).end();
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  return () => {
    server.close();
    server.closeAllConnections();
  };
}
