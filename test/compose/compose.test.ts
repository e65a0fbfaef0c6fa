import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { verify } from '@sluice/admin/backup/verify.ts';
import { groups } from '@sluice/shared/config/variables.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createClient, startLoad } from './client.ts';
import { proposed, testEdge } from './edge.ts';
import { createStack, docker, freePort, inspect, type Stack, until } from './stack.ts';
import { createTlsDirectory, testTls } from './tls.ts';
import { testUpdates } from './update.ts';

const connectionLimit = 60;
const settings = {
  JWT_SECRET: randomBytes(48).toString('base64'),
  REGISTRATION_OPEN: 'on',
  REGISTER_RATE: 'off',
  LOGIN_RATE: '1000000/7d',
  MAX_CONNECTIONS_PER_ADDRESS: `${connectionLimit}`,
  API_REPLICAS: '2',
  INGEST_WORKER_REPLICAS: '2',
  EXPORT_WORKER_REPLICAS: '2',
  QUERY_WORKER_REPLICAS: '2',
  // None of the connections here is of that proxy.
  FRONT_PROXY: proposed('FRONT_PROXY'),
  TRUST_PROXY: proposed('TRUST_PROXY'),
};

describe('the composed stack', () => {
  let stack: Stack;
  let tls: Awaited<ReturnType<typeof createTlsDirectory>>;
  let plainPort: number;
  let failed = false;

  beforeAll(async () => {
    tls = await createTlsDirectory();
    plainPort = await freePort();
    stack = await createStack({ ...settings, TLS_DIRECTORY: tls.path, SLUICE_HTTP_PORT: `${plainPort}` });
    try {
      await stack.compose('up', '-d', '--build', '--wait', '--wait-timeout', '600');
    } catch (error) {
      failed = true;
      throw error;
    }
  });

  afterEach(({ task }) => {
    failed ||= task.result?.state === 'fail';
  });

  afterAll(async () => {
    if (!stack) return;
    if (failed) console.error(await stack.compose('logs', '--no-color', '--tail', '200').catch(String));
    await stack.down();
    await stack.discard();
    await tls.discard();
  });

  it('takes data, lists it, exports it and forgets it', async () => {
    const client = await createClient(stack.url);
    for (let n = 0; n < 200; n += 1) expect((await client.upload(n)).status).toBe(201);
    expect((await client.upload('no number' as never)).body.error.name).toBe('SchemaValidationError');

    const { body } = await client.call('GET', `${client.path}/data?limit=50`);
    expect(body.data.pagination).toMatchObject({ total: 200, next: 50, isLast: false });
    expect(body.data.result).toHaveLength(50);
    expect(await client.exported()).toHaveLength(200);

    expect((await client.call('DELETE', client.path)).status).toBe(200);
    expect((await client.call('GET', client.path)).status).toBe(404);
    // The other replica had the schema in its cache: it follows within a second.
    await until('the other replica forgets it', async () => {
      const late = await Promise.all(Array.from({ length: 8 }, (_, n) => client.upload(n)));
      return late.every(({ status }) => status === 404);
    });
  });

  it('has the console, from files alone', async () => {
    const page = await fetch(new URL('/', stack.url));
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const [, script] = /<script[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
    expect((await fetch(new URL(script as string, stack.url))).status).toBe(200);
    const packages = await stack.compose('exec', '-T', 'api', 'ls', 'node_modules/.pnpm');
    expect(packages).toContain('fastify@');
    expect(packages).not.toMatch(/^(react|vite|@mantine)/m);
  });

  it('is backed up by its script, which keeps the newest files', async () => {
    const client = await createClient(stack.url);
    for (let n = 0; n < 20; n += 1) expect((await client.upload(n)).status).toBe(201);
    const folder = await mkdtemp(join(tmpdir(), 'sluice-backups-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [older, newer] = [
      await stack.script('backup.sh', folder),
      await stack.script('backup.sh', folder, '--keep', '1'),
    ];
    expect(older).not.toBe(newer);
    expect((await readdir(folder)).map((name) => join(folder, name))).toEqual([newer]);
    expect((await stat(newer)).mode & 0o777).toBe(0o600);
    const { verified } = await verify(() => createReadStream(newer));
    expect(verified.collections.entries?.documents).toBeGreaterThanOrEqual(20);
  });

  it('publishes the proxy only, reaches the stores from inside only, and lets out workers alone', async () => {
    const { services, networks } = JSON.parse(await stack.compose('config', '--format', 'json'));
    const published = Object.keys(services).filter((name) => services[name].ports);
    expect(published).toEqual(['haproxy']);
    const outside = (name: string) =>
      Object.keys(services[name].networks).some((net) => !networks[net].internal);
    expect(Object.keys(services).filter(outside).sort()).toEqual([
      'export-worker',
      'haproxy',
      'ingest-worker',
    ]);
  });

  it('initiates the replica set as soon as MongoDB answers', async () => {
    const logged = await stack.compose('logs', '--no-color', '--no-log-prefix', 'mongo-init');
    const lines = logged.split('\n').filter((line) => !line.startsWith('MongoNetworkError'));
    expect(lines).toEqual(['replica set rs0 has a primary']);
  });

  testEdge(() => stack, connectionLimit);

  it('loses no confirmed upload when a replica of each service is killed, and gets the replicas back', async () => {
    const client = await createClient(stack.url);
    const load = startLoad(client);
    try {
      await load.goOn(50);
      const victims = await Promise.all(
        ['api', 'ingest-worker', 'export-worker', 'query-worker'].map(
          async (service) => (await stack.replicas(service))[0] as string,
        ),
      );
      // Kill from inside: Docker does not restart a container that `docker kill` stopped.
      await Promise.all(
        victims.map((id) => docker('exec', id, 'sh', '-c', 'kill -9 -1').catch(() => undefined)),
      );
      await load.goOn(200);
      expect((await client.exported()).length).toBeGreaterThan(200);
      for (const id of victims) {
        await until(
          `${id} is back`,
          async () => (await inspect(id, '{{.State.Health.Status}} {{.RestartCount}}')) === 'healthy 1',
        );
      }
      await load.goOn(50);
    } finally {
      await load.stop();
    }
    // Uploads under way on the killed replica have an unknown outcome; every later upload is accepted.
    expect(load.failed.length).toBeLessThan(20);
    const listed = await client.listed();
    expect(new Set(listed).size).toBe(listed.length);
    expect(new Set(load.stored).difference(new Set(listed))).toEqual(new Set());
    expect((await client.exported()).length).toBe(listed.length);
  });

  it('fails no request when a replica of the API is stopped and started again', async () => {
    const client = await createClient(stack.url);
    const load = startLoad(client, 8);
    try {
      await load.goOn(100);
      const [replica] = (await stack.replicas('api')) as [string];
      await docker('stop', replica);
      expect(await inspect(replica, '{{.State.ExitCode}}')).toBe('0');
      await load.goOn(100);
      await docker('start', replica);
      await until(
        'it is back',
        async () => (await inspect(replica, '{{.State.Health.Status}}')) === 'healthy',
      );
      await load.goOn(100);
    } finally {
      await load.stop();
    }
    expect(load.failed).toEqual([]);
    expect(await client.listed()).toHaveLength(load.stored.length);
  });

  testUpdates(() => stack);

  it('wears the envelope also where no API is left to answer', async () => {
    await stack.compose('stop', 'api');
    // Over a new connection: one that was in use would only be closed, for its client to come again.
    const [response] = await once(get(`${stack.url}/health/live`, { agent: false }), 'response');
    expect(response.statusCode).toBe(503);
    expect(response.headers['retry-after']).toBe('2');
    expect(await json(response)).toMatchObject({
      success: false,
      status: 503,
      error: { name: 'ServiceUnavailableError' },
    });
  });

  testTls(
    () => stack,
    () => ({ plain: plainPort, tls: stack.port }),
  );
});

describe('its settings', () => {
  it('refuse to start without a secret, and say how to make one', async () => {
    const stack = await createStack({});
    onTestFinished(stack.discard);
    await expect(stack.compose('up', '-d')).rejects.toThrow(
      'set JWT_SECRET in .env, at least 32 bytes: openssl rand -base64 48',
    );
  });

  it('reach the services, all that are documented', async () => {
    const chosen = Object.fromEntries(
      groups.flatMap(({ settings }) => Object.keys(settings)).map((name) => [name, 'x']),
    );
    const stack = await createStack({ ...chosen, SLUICE_PORT: '4000' }, ['deploy/oidc/docker-compose.yml']);
    onTestFinished(stack.discard);
    const { services } = JSON.parse(await stack.compose('config', '--format', 'json'));
    const missing = (service: string, titles: string[]) =>
      groups
        .filter(({ title }) => titles.includes(title))
        .flatMap(({ settings }) => Object.keys(settings))
        .filter((name) => services[service].environment[name] == null);
    expect(missing('api', ['All services', 'API'])).toEqual([]);
    expect(missing('export-worker', ['All services', 'Export worker', 'Both workers'])).toEqual([]);
    expect(missing('ingest-worker', ['All services', 'Ingest worker', 'Both workers'])).toEqual([]);
    expect(missing('query-worker', ['All services', 'Query workers'])).toEqual([]);
  });
});
