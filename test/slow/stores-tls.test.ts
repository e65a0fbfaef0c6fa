import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createServer } from 'node:tls';
import { connectRedis } from '@sluice/jobs/queue/redis.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { MongoClient } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { run, runApi } from '../support/service-process.ts';
import { call, ownStores, until } from '../support/sluice.ts';

/** For 127.0.0.1, signed by itself; it protects nothing but these tests. */
const directory = join(import.meta.dirname, '../support/tls');
const authority = join(directory, 'certificate.pem');

/** Takes TLS and passes on what is in it; returns the port. */
async function tlsInFrontOf({ hostname, port }: URL): Promise<number> {
  const pair = { cert: readFileSync(authority), key: readFileSync(join(directory, 'key.pem')) };
  const server = createServer(pair, (socket) => {
    pipeline(socket, connect(Number(port), hostname), socket, () => undefined);
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const password = `p@ss/w:rd%${randomBytes(6).toString('hex')}`;

async function withMongoUser(url: URL, user: string): Promise<URL> {
  const client = new MongoClient(url.href);
  const db = client.db();
  onTestFinished(async () => {
    await db.dropDatabase();
    await db.command({ dropUser: user });
    await client.close();
  });
  await db.command({ createUser: user, pwd: password, roles: ['readWrite'] });
  const port = await tlsInFrontOf(url);
  const secured = new URL(
    `mongodb://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}${url.pathname}`,
  );
  secured.search = new URLSearchParams({
    directConnection: 'true',
    tls: 'true',
    tlsCAFile: authority,
  }).toString();
  return secured;
}

async function withRedisUser(url: URL, user: string): Promise<URL> {
  const log = createLogger('test', { level: 'silent', pretty: false });
  const redis = connectRedis({ url: url.href }, log, 'patient');
  onTestFinished(async () => {
    await redis.call('ACL', 'DELUSER', user);
    redis.disconnect();
  });
  await redis.call('ACL', 'SETUSER', user, 'on', `>${password}`, '~*', '&*', '+@all');
  return new URL(`rediss://${user}:${encodeURIComponent(password)}@127.0.0.1:${await tlsInFrontOf(url)}`);
}

it('stores and exports by way of stores that want TLS and a password', async () => {
  const env = ownStores();
  const user = `u${randomBytes(6).toString('hex')}`;
  const secured = {
    ...env,
    MONGODB_URL: (await withMongoUser(new URL(env.MONGODB_URL as string), user)).href,
    REDIS_URL: (await withRedisUser(new URL(env.REDIS_URL as string), user)).href,
    NODE_EXTRA_CA_CERTS: authority,
    LOG_LEVEL: 'trace',
  };
  const { url, output } = await runApi(secured);
  const worker = run('export-worker', secured);

  const json = { username: 'secured', password: 'correct horse' };
  await call(url, 'POST', '/api/users/register', { json: { ...json, locale: 'en' } });
  const { token } = (await call(url, 'POST', '/api/users/login', { json })).body.data;
  const application = { name: 'Secured', type: 'other', schema: '{"type":"object"}' };
  const { domain } = (await call(url, 'POST', '/api/applications', { token, json: application })).body.data;
  expect((await call(url, 'POST', `/api/applications/${domain}/data`, { json: { a: 1 } })).status).toBe(201);
  // Until the worker is there as well.
  await until(async () => {
    const { status, text } = await call(url, 'GET', `/api/applications/${domain}/export`, { token });
    return status === 200 && text.startsWith('createdAt,a\r\n');
  });
  for (const secret of [password, encodeURIComponent(password)]) {
    expect(output.text + worker.output.text).not.toContain(secret);
  }
});

it('does not speak to a store whose certificate nobody vouches for', async () => {
  const env = ownStores();
  const port = await tlsInFrontOf(new URL(env.REDIS_URL as string));
  const { output } = await runApi({ ...env, REDIS_URL: `rediss://127.0.0.1:${port}`, LOG_LEVEL: 'warn' });
  await until(async () => /"event":"redis.away","reason":"DEPTH_ZERO_SELF_SIGNED_CERT"/.test(output.text));
});
