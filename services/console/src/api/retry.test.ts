import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { fetchWithRetry } from './retry.ts';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers with each status in turn, then with the last one again. */
async function serveStatuses(statuses: number[], retryAfter = '0') {
  const seen: string[] = [];
  const url = await serve((request, response) => {
    response.statusCode = statuses[Math.min(seen.length, statuses.length - 1)] as number;
    seen.push(`${request.method} ${request.headers.authorization ?? ''}`);
    response.setHeader('retry-after', retryAfter).end();
  });
  return { url, seen };
}

it.each([429, 503])('sends a GET again after %i, the same', async (status) => {
  const { url, seen } = await serveStatuses([status, status, 200]);
  const response = await fetchWithRetry(new Request(url, { headers: { authorization: 'Bearer x' } }));
  expect(response.status).toBe(200);
  expect(seen).toEqual(['GET Bearer x', 'GET Bearer x', 'GET Bearer x']);
});

it('gives up after three more tries', async () => {
  const { url, seen } = await serveStatuses([503]);
  expect((await fetchWithRetry(new Request(url))).status).toBe(503);
  expect(seen).toHaveLength(4);
});

it.each([
  ['a POST', { method: 'POST', body: '{}' }, 503, '0'],
  ['a final answer', {}, 404, '0'],
  ['a long time to wait', {}, 429, '3600'],
])('sends %s once', async (_what, init, status, retryAfter) => {
  const { url, seen } = await serveStatuses([status], retryAfter);
  expect((await fetchWithRetry(new Request(url, init))).status).toBe(status);
  expect(seen).toHaveLength(1);
});

it.each([
  ['a GET again', {}, 1, 2],
  ['a GET no third time', {}, 2, 2],
  ['a POST once', { method: 'POST', body: '{}' }, 1, 1],
])('without an answer, sends %s', async (_what, init, breaks, sent) => {
  let seen = 0;
  const url = await serve((request, response) => {
    seen += 1;
    if (seen <= breaks) request.socket.destroy();
    else response.end();
  });
  const answer = fetchWithRetry(new Request(url, init));
  if (breaks < sent) expect((await answer).status).toBe(200);
  else await expect(answer).rejects.toThrow();
  expect(seen).toBe(sent);
});

it('stops waiting when the page is left', async () => {
  const leaving = new AbortController();
  const url = await serve((_request, response) => {
    response.writeHead(503, { 'retry-after': '30' }).end(() => leaving.abort(new Error('left')));
  });
  await expect(fetchWithRetry(new Request(url, { signal: leaving.signal }))).rejects.toThrow('left');
});
