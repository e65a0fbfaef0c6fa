import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Metrics, MetricsConfig } from './metrics.ts';

const hash = (text: string) => createHash('sha256').update(text).digest();

/** Compares `Authorization` with the token in constant time. Without a token everyone may scrape. */
export function createMayScrape(token: string | undefined): (authorization: string | undefined) => boolean {
  if (token === undefined) return () => true;
  const expected = hash(`Bearer ${token}`);
  return (authorization = '') => timingSafeEqual(hash(authorization), expected);
}

/**
 * Answers `GET /metrics` and `/health/live` on MONITORING_PORT, on all addresses; port 0 answers nothing.
 * Returns a function that stops it. Rejects if the port is taken.
 */
export async function serveMonitoring({ port, token }: MetricsConfig, metrics: Metrics): Promise<() => void> {
  if (port === 0) return () => {};
  const mayScrape = createMayScrape(token);
  const server = createServer(({ method, url = '', headers }, response) => {
    const path = url.split('?')[0];
    if (path === '/health/live') return response.end();
    if (path !== '/metrics' || method !== 'GET') return response.writeHead(404).end();
    if (!mayScrape(headers.authorization)) return response.writeHead(401).end();
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(port);
  await once(server, 'listening');
  return () => {
    server.close();
    server.closeAllConnections();
  };
}
