import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { importClient } from '../support/import-client.ts';
import { follow } from '../support/live-client.ts';
import { chunked, exchange } from '../support/raw-exchange.ts';
import { startSluice, storeOf, until, untilTaken } from '../support/sluice.ts';

/** Without an end to it, a client that sends nothing would hold up the server for an hour. */
const env = { REQUEST_TIMEOUT: '1h', SHUTDOWN_TIMEOUT: '2s' };

it('a server that closes does not wait for the rest of a request: a login, an unknown route, a broken path', async () => {
  const sluice = await startSluice({ workers: false, env });
  const sending = [
    exchange(
      sluice.url,
      '/api/users/login',
      ['Content-Type: application/json', 'Content-Length: 100'],
      ['{'],
    ),
    exchange(sluice.url, '/api/nothing', ['Content-Type: text/plain', 'Content-Length: 100'], []),
    exchange(sluice.url, '/api/%zz', ['Content-Type: text/plain', 'Content-Length: 100'], []),
  ];
  await sluice.request('GET', '/health/live');
  await sluice.stop();
  for (const { status } of await Promise.all(sending)) expect([400, 404, 503]).toContain(status);
});

it('a server that closes does not wait for headers', async () => {
  const sluice = await startSluice({ workers: false, env });
  const { hostname, port } = new URL(sluice.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost:');
  await sluice.request('GET', '/health/live');
  await Promise.all([once(socket, 'close'), sluice.stop()]);
});

it('a server that closes stores an upload of which only the beginning had come, and answers it', async () => {
  const sluice = await startSluice({ workers: false });
  const domain = await sluice.application((await sluice.owner()).token);
  const store = storeOf(sluice);
  const application = (await store.applications.byDomain(domain))?.id as string;
  const isRefused = () =>
    sluice.request('GET', '/health/live').then(
      () => false,
      () => true,
    );
  let stopped: Promise<void> | undefined;
  async function* body() {
    yield '{"a":';
    await sluice.request('GET', '/health/live');
    stopped = sluice.stop();
    await until(isRefused);
    yield '1}';
  }
  const headers = ['Content-Type: application/json', 'Content-Length: 7'];
  const { status } = await exchange(sluice.url, `/api/applications/${domain}/data`, headers, body());
  await stopped;
  expect([status, await store.entries.count(application, {})]).toEqual([201, 1]);
});

it('a server keeps an idle connection for 15 s, and waits for none when it closes', async () => {
  const sluice = await startSluice({ workers: false, env });
  const agent = new Agent({ keepAlive: true });
  const [response] = await once(get(`${sluice.url}/api/health/live`, { agent }), 'response');
  const ended = once(response.socket, 'close');
  response.resume();
  await once(response, 'end');
  expect([response.statusCode, response.headers['keep-alive']]).toEqual([200, 'timeout=15']);
  await Promise.all([ended, sluice.stop()]);
});

it('a server that closes ends the events of a job that waits', async () => {
  const sluice = await startSluice({ workers: false, env });
  const { token } = await sluice.owner();
  const domain = await sluice.application(token);
  const path = `/applications/${domain}/exports`;
  const { body } = await sluice.request('POST', path, { token, json: {} });
  const response = await fetch(`${sluice.url}/api${path}/${body.data.id}/events`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const [events] = await Promise.all([response.text(), sluice.stop()]);
  expect(events).toMatch(/^event: progress\n/);
});

it('a server that closes does not wait for a follower that takes nothing', async () => {
  const sluice = await startSluice({ workers: false, env });
  const { token } = await sluice.owner();
  const domain = await sluice.application(token);
  const { hostname, port } = new URL(sluice.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  const head = `GET /api/applications/${domain}/data/live HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}`;
  socket.write(`${head}\r\n\r\n`);
  await once(socket, 'data');
  socket.pause();
  const { entries } = await follow(sluice.url, { token, domain });
  const json = { text: 'x'.repeat(900_000) };
  const upload = () => sluice.request('POST', `/applications/${domain}/data`, { json });
  // More than the kernel takes for it.
  for (let n = 0; n < 16; n++) {
    expect((await untilTaken(upload)).status).toBe(201);
    await until(async () => entries().length > n);
  }
  await sluice.stop();
});

it('a server that closes tells the client of an import, and leaves nothing of it', async () => {
  const sluice = await startSluice({ workers: false, env });
  const { token } = await sluice.owner();
  const domain = await sluice.application(token);
  const { store } = importClient(sluice, token);
  const application = (await store.applications.byDomain(domain))?.id as string;
  const headers = [
    `Authorization: Bearer ${token}`,
    'Content-Type: application/x-ndjson',
    'Transfer-Encoding: chunked',
  ];
  const sending = exchange(sluice.url, `/api/applications/${domain}/imports`, headers, [
    chunked('{"n":1}\n'),
  ]);
  await until(async () => (await store.jobs.ofApplication(application, 1)).length === 1);
  const stopped = sluice.stop();
  const { status, body } = await sending;
  expect([status, body.error.message]).toEqual([503, 'this server is stopping; nothing was stored']);
  await stopped;
});
