import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { onTestFinished } from 'vitest';

export type BadAnswer = (response: ServerResponse) => void;

/** An answer that is not of Sluice. */
export const page =
  (status: number, headers: Record<string, string> = {}): BadAnswer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<h1>Sorry</h1>');

/** A failure as Sluice tells it. */
export const failure =
  (status: number, name: string): BadAnswer =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ success: false, error: { name, message: 'no' } }));

/** The head of an answer, and no end of its body. */
export const endless: BadAnswer = (response) => void response.writeHead(201).write('{"success":');

/** A body that is cut off. */
export const cut: BadAnswer = (response) => {
  response.writeHead(201, { 'content-length': '100' }).write('{');
  response.socket?.destroySoon();
};

export const stored: BadAnswer = (response) => response.writeHead(201).end('{"success":true,"data":{}}');

/** A proxy that gives these answers, and the last one from then on. Call in a test. */
export async function startBadProxy(...answers: BadAnswer[]) {
  const requests: { key: unknown; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const at = requests.length;
    requests.push({ key: request.headers['idempotency-key'], body: '' });
    const isPacked = request.headers['content-encoding'] === 'gzip';
    const lines = text(isPacked ? request.pipe(createGunzip()) : request);
    (requests[at] as { body: string }).body = await lines.catch(() => 'aborted');
    (answers[Math.min(at, answers.length - 1)] as BadAnswer)(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
