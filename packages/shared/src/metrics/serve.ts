import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { Metrics, MetricsConfig } from './metrics.ts';

const hash = (text: string) => createHash('sha256').update(text).digest();

/** Whether `Authorization` has the token; compared in constant time. Without a token everyone may scrape. */
export function createMayScrape(token: string | undefined): (authorization: string | undefined) => boolean {
  if (token === undefined) return () => true;
  const expected = hash(`Bearer ${token}`);
  return (authorization = '') => timingSafeEqual(hash(authorization), expected);
}

/** Answers `GET /metrics` on the port of its own, on all addresses; nothing where that is 0. Returns how to stop. Rejects when the port is taken. */
export async function serveMetrics({ port, token }: MetricsConfig, metrics: Metrics): Promise<() => void> {
  if (port === 0) return () => {};
  const mayScrape = createMayScrape(token);
  const server = createServer(async ({ method, url = '', headers }, response) => {
    const isKnown = method === 'GET' && url.split('?')[0] === '/metrics';
    const status = isKnown ? (mayScrape(headers.authorization) ? 200 : 401) : 404;
    if (status !== 200) response.writeHead(status).end();
    else response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.text());
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
