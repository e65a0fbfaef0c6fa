import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { everythingFrom, open, parseAnswers, speak } from '../support/raw-connection.ts';
import { chunked } from '../support/raw-exchange.ts';
import { type Sluice, startSluice, until, untilTaken } from '../support/sluice.ts';
import { type UploadClient, uploadClient } from '../support/upload-client.ts';

let sluice: Sluice;
let client: UploadClient;
let token: string;
let domain: string;
beforeAll(async () => {
  sluice = await startSluice({ workers: false, env: { REQUEST_TIMEOUT: '2s' } });
  ({ token } = await sluice.owner());
  client = uploadClient(sluice, token);
});
afterAll(() => sluice.stop());

/** Far more than one connection may have pending. */
const many = 2_000;
/** The bound, and what a read of 64 KiB has more. */
const fewEnough = 500;
/** One read has no more of the shortest requests. */
const mostRead = 2_600;

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');

/** By turns with a length, in chunks, and with another request between. */
function upload(n: number): string {
  const body = `{"n":${n}}`;
  const isChunked = n % 3 === 1;
  const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
  const head = [
    `POST /api/applications/${domain}/data HTTP/1.1`,
    'Host: a',
    'Content-Type: application/json',
  ];
  const sent = isChunked ? chunked(body) + chunked('') : body;
  return [...head, framing, `X-Request-Id: ${n}`, '', sent].join('\r\n');
}

const uploads = Array.from.bind(null, { length: many }) as <T>(make: (_: unknown, n: number) => T) => T[];
const last = get('/api/health/live', 'Connection: close', 'X-Request-Id: last');

/** A connection whose first answer does not end: the progress of a job that nobody does. */
async function openBehindEvents() {
  const { body } = await sluice.request('POST', `/applications/${domain}/exports`, { token, json: {} });
  const job = `/applications/${domain}/exports/${body.data.id}`;
  const socket = await open(sluice.url);
  onTestFinished(() => void socket.destroy());
  const all = everythingFrom(socket);
  socket.write(get(`/api${job}/events`, `Authorization: Bearer ${token}`));
  await once(socket, 'data');
  return { socket, all, end: () => sluice.request('DELETE', job, { token }) };
}

/** How many requests of all connections the server has begun from now on. Call in a test. */
function countRequests(): () => number {
  let count = 0;
  const started = () => {
    count += 1;
  };
  subscribe('http.server.request.start', started);
  onTestFinished(() => void unsubscribe('http.server.request.start', started));
  return () => count;
}

describe('requests that one connection sends before it has answers', () => {
  /** Resolves with the answers, and with the first refusal. */
  async function send() {
    domain = await sluice.application(token);
    const answers = await speak(sluice.url, uploads((_, n) => upload(n)).join('') + last);
    expect(answers.map(({ headers }) => headers.get('x-request-id'))).toEqual([
      ...uploads((_, n) => String(n)),
      'last',
    ]);
    const refused = answers.find(({ status }) => status > 201);
    return { answers, status: refused?.status ?? 200, text: JSON.stringify(refused?.body) };
  }

  it('are answered one by one, in their order, however many', async () => {
    const { answers } = await untilTaken(send);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 200]));
    expect(await client.count(domain)).toBe(many);
  });

  it('are taken up to a bound while the first is being answered, and all others then', async () => {
    domain = await sluice.application(token);
    const { socket, all, end } = await openBehindEvents();
    const taken = countRequests();
    socket.write(uploads((_, n) => upload(n)).join('') + last);
    // Meanwhile the time is over that a request may take to arrive, and a client to read: two seconds.
    const slow = await speak(sluice.url, upload(0).slice(0, -1));
    expect(slow.map(({ status }) => status)).toEqual([408]);
    expect(taken()).toBeGreaterThan(1);
    expect(taken()).toBeLessThanOrEqual(fewEnough);
    await end();
    const bytes = await all;
    const behind = bytes.indexOf('\r\n0\r\n\r\n') + '\r\n0\r\n\r\n'.length;
    const answers = parseAnswers(bytes.subarray(behind));
    expect(answers.map(({ headers }) => headers.get('x-request-id')).slice(0, many)).toEqual(
      uploads((_, n) => String(n)),
    );
    expect(await client.count(domain)).toBe(many);
  });
});

/** Sends until the server reads no more, and reads nothing itself. */
async function flood(requests: string, { url } = sluice): Promise<Socket> {
  const socket = await open(url);
  onTestFinished(() => void socket.destroy());
  socket.pause();
  const bytes = requests.repeat(Math.ceil((16 * 1024 ** 2) / requests.length));
  socket.write(bytes);
  return socket;
}

/** As long as the heads of real clients are at least. */
const usual = `X: ${'x'.repeat(60)}`;

/** How often a file of this name is open; 0 where the system does not say. */
async function openedFiles(name: string): Promise<number> {
  const fds = await readdir('/proc/self/fd').catch(() => []);
  const links = await Promise.allSettled(fds.map((fd) => readlink(`/proc/self/fd/${fd}`)));
  return links.filter((link) => link.status === 'fulfilled' && link.value.endsWith(name)).length;
}

const closed = (socket: Socket) => new Promise<unknown>((resolve) => socket.once('close', resolve));

describe('a client that sends requests and reads nothing', () => {
  it('is let go when it has taken nothing for REQUEST_TIMEOUT, and has one file opened for it at a time', async () => {
    const taken = countRequests();
    const bundle = 'swagger-ui-bundle.js';
    const sockets = await Promise.all([
      flood(get('/api/openapi.json', usual)),
      flood(get('/api/openapi.json', `X: ${'x'.repeat(8_000)}`)),
      flood(get(`/api/docs/static/${bundle}`, usual)),
    ]);
    let most = 0;
    const areClosed = Promise.all(sockets.map(closed)).then(() => true);
    await until(async () => {
      most = Math.max(most, await openedFiles(bundle));
      return Promise.race([areClosed, false]);
    });
    expect(taken()).toBeLessThan(2 * sockets.length * mostRead);
    // Only Linux tells which files are open.
    if (process.platform === 'linux') expect(most).toBe(1);
  });

  it('amid others that read slowly costs nobody an answer', async () => {
    domain = await sluice.application(token);
    const requests = Array.from({ length: 400 }, (_, i) => {
      if (i % 10 === 0) return get('/api/openapi.json', usual);
      return i % 3 === 0 ? upload(i) : get(`/api/health/live`, `X: ${'x'.repeat((i % 4) * 700)}`);
    });
    const socket = await open(sluice.url);
    const all = everythingFrom(socket);
    // The client reads in small pieces, so that the server stops and goes on many times.
    const reading = setInterval(() => (socket.isPaused() ? socket.resume() : socket.pause()), 1);
    onTestFinished(() => clearInterval(reading));
    for (const request of requests) socket.write(request);
    socket.write(last);
    const answers = parseAnswers(await all);
    expect(answers).toHaveLength(requests.length + 1);
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 201)).toEqual(
      [],
    );
  });

  it('does not hold up a server that closes', async () => {
    const closing = await startSluice({
      workers: false,
      env: { REQUEST_TIMEOUT: '10m', SHUTDOWN_TIMEOUT: '2s' },
    });
    const taken = countRequests();
    await flood(get('/api/openapi.json'), closing);
    await until(async () => taken() > 1);
    await closing.stop();
  });
});
