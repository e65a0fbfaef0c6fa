import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../support/cuttable-proxy.ts';
import { lowPort } from '../support/low-port.ts';
import { exitOf, run, runApi } from '../support/service-process.ts';
import { call, ownStores, until } from '../support/sluice.ts';

async function ownApplication(url: string) {
  const credentials = { username: 'processes', password: 'a-very-secret-word' };
  await call(url, 'POST', '/api/users/register', { json: { ...credentials, locale: 'en' } });
  const { token } = (await call(url, 'POST', '/api/users/login', { json: credentials })).body.data;
  const json = { name: 'P', type: 'other', schema: '{"type":"object","properties":{"a":{"type":"string"}}}' };
  const { domain } = (await call(url, 'POST', '/api/applications', { token, json })).body.data;
  return { token, domain, path: `/api/applications/${domain}/data` };
}

it('logs neither passwords nor tokens nor keys nor payloads, at the finest level', async () => {
  const { child, output, url } = await runApi({ LOG_LEVEL: 'trace' });
  const { token, domain, path } = await ownApplication(url);
  const keys = `/api/applications/${domain}/keys`;
  const { key } = (await call(url, 'POST', keys, { token, json: { name: 'K' } })).body.data;
  await call(url, 'PATCH', `/api/applications/${domain}`, { token, json: { key_required: true } });
  await call(url, 'POST', path, { json: { a: 'payload-marker' }, headers: { 'x-api-key': key } });
  await call(url, 'POST', path, { json: { a: 'payload-marker' }, token: key });
  await call(url, 'POST', path, { json: { a: 'payload-marker' }, headers: { 'x-api-key': `${key}x` } });
  await call(url, 'GET', path, { token: key });
  await call(url, 'PATCH', `/api/applications/${domain}`, { token, json: { key_required: false } });
  await call(url, 'POST', path, { json: { a: 'payload-marker' } });
  await call(url, 'POST', path, { json: { a: ['payload-marker'] } });
  await call(url, 'POST', path, { body: '{"payload-marker' });
  await call(url, 'GET', path, { token });
  await call(url, 'GET', `/api/users/me`, { token: `${token}x` });
  child.kill('SIGTERM');
  expect(await exitOf(child)).toBe(0);
  expect(output.text).toContain('"event":"request"');
  expect(output.text).not.toMatch(/payload-marker|a-very-secret-word/);
  expect(output.text).not.toContain(token);
  expect(output.text).not.toContain(key);
});

it('answers every upload in flight after SIGTERM, is not ready meanwhile, and then ends', async () => {
  const { child, url } = await runApi({ DRAIN_DELAY: '5s', SHUTDOWN_TIMEOUT: '60s' });
  const { path } = await ownApplication(url);
  const uploads = Array.from({ length: 50 }, (_, i) => call(url, 'POST', path, { json: { a: String(i) } }));
  child.kill('SIGTERM');
  await until(async () => (await call(url, 'GET', '/api/health/ready')).status === 404);
  const late = await call(url, 'POST', path, { json: { a: 'late' } });
  expect([late.status, late.headers.get('connection')]).toEqual([201, 'close']);
  expect(new Set((await Promise.all(uploads)).map(({ status }) => status))).toEqual(new Set([201]));
  expect(await exitOf(child)).toBe(0);
});

it.each([
  [
    'api',
    { NODE_ENV: 'production', REGISTRATION_OPEN: 'perhaps', JWT_SECRET: 'hunter2' },
    [
      /^sluice api: REGISTRATION_OPEN must be one of true, false/m,
      /^sluice api: JWT_SECRET must have at least 32 bytes/m,
    ],
  ],
  // It is found only when the driver reads it.
  ['api', { MONGODB_URL: 'mongodb://a:hunter2@@127.0.0.1' }, [/^sluice api: MONGODB_URL /m]],
  ['export-worker', { REDIS_URL: 'hunter2' }, [/^sluice export-worker: REDIS_URL must begin with/m]],
  [
    'ingest-worker',
    { WORKER_CONCURRENCY: 'many' },
    [/^sluice ingest-worker: WORKER_CONCURRENCY must be a whole number from 1 to 64$/m],
  ],
])(
  '%s does not start with %j, and says why in a line each, without the secret',
  async (service, env, lines) => {
    const { child, output } = run(service, { ...ownStores(), ...env } as Record<string, string>);
    expect(await exitOf(child)).toBe(1);
    for (const line of lines) expect(output.text).toMatch(line);
    expect(output.text.trim().split('\n')).toHaveLength(lines.length);
    expect(output.text).not.toContain('hunter2');
  },
);

it('says that its port is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { child, output } = run('api', { ...ownStores(), PORT: String(port) });
  expect(await exitOf(child)).toBe(1);
  expect(output.text).toMatch(/^sluice api: the port is taken/m);
});

it.each(['export-worker', 'ingest-worker'])(
  '%s ends on SIGTERM, and answers for its health until then',
  async (service) => {
    const port = await lowPort();
    const { child } = run(service, { ...ownStores(), MONITORING_PORT: String(port) });
    const live = () =>
      fetch(`http://127.0.0.1:${port}/health/live`).then(
        ({ status }) => status === 200,
        () => false,
      );
    await until(live);
    child.kill('SIGTERM');
    expect(await exitOf(child)).toBe(0);
    expect(await live()).toBe(false);
  },
);

it.each([
  ['api', 'cut'],
  ['api', 'stall'],
  ['export-worker', 'cut'],
  ['export-worker', 'stall'],
] as const)(
  '%s ends after SIGTERM also while Redis is away (%s)',
  async (service, how) => {
    const { hostname, port } = new URL(inject('redisUrl'));
    const redis = await createCuttableProxy({ host: hostname, port: Number(port || 6379) });
    onTestFinished(redis.close);
    const { child, output } = run(service, {
      ...ownStores(`redis://127.0.0.1:${redis.port}`),
      LOG_LEVEL: 'info',
      SHUTDOWN_TIMEOUT: '2s',
    });
    await until(async () => output.text.includes('"event":"process.started"'), 60_000);
    await redis[how]();
    child.kill('SIGTERM');
    expect([0, 1]).toContain(await exitOf(child));
    expect(output.text).toContain('"event":"process.stopping"');
  },
  120_000,
);
