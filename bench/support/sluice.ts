import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '../../examples/demo/client.ts';
import { waitUntilReady } from '../../local/ready.ts';
import { collectors } from '../../local/services/collectors.ts';
import type { Bench } from './bench.ts';
import { startServer } from './server.ts';
import { serviceEnv } from './service-env.ts';

const root = join(import.meta.dirname, '..', '..');
const reportMemory = pathToFileURL(join(import.meta.dirname, 'report-memory.ts')).href;

export interface ApiOptions {
  database: string;
  port?: number;
  env?: NodeJS.ProcessEnv;
  /** The checkout of Sluice that has the API. */
  checkout?: string;
}

export type Api = Awaited<ReturnType<typeof startApi>>;

/** The API as in production, logging into a file. */
export async function startApi(bench: Bench, { database, port, env = {}, checkout = root }: ApiOptions) {
  const name = checkout === root ? 'sluice' : 'sluice-before';
  const server = await startServer(bench, {
    name,
    entry: join(checkout, 'services', 'api', 'src', 'main.ts'),
    port,
    nodeArgs: [...collectors.api, '--expose-gc', '--import', reportMemory],
    env: (port) => ({
      ...serviceEnv(bench, database),
      JWT_SECRET: bench.jwtSecret,
      REGISTRATION_OPEN: 'on',
      REGISTER_RATE: 'off',
      LOGIN_RATE: 'off',
      APPLICATION_QUOTA: '1000000',
      HOST: '127.0.0.1',
      PORT: String(port),
      ...env,
    }),
    async ready({ url, output }) {
      // Several processes may listen on the same port.
      if (!output().includes('process.started')) throw new Error('the API does not start');
      await waitUntilReady(url, AbortSignal.timeout(5_000));
    },
  });

  return {
    name,
    database,
    url: server.url,
    pid: server.pid,
    stop: server.stop,
    memory: () => server.ask<NodeJS.MemoryUsage>('memory'),
    /** The URL for uploads to an application. */
    uploadsOf: (domain: string) => ({
      name,
      database,
      pid: server.pid,
      stop: server.stop,
      url: `${server.url}/api/applications/${domain}/data`,
    }),
  };
}

export type Account = Awaited<ReturnType<typeof openAccount>>;

/** Registers a user to create applications. */
export async function openAccount(url: string) {
  const client = createClient(url);
  const credentials = { username: `bench-${randomBytes(6).toString('hex')}`, password: 'correct horse' };
  await client.need('POST', '/users/register', { body: { ...credentials, locale: 'en' } });
  const { token } = await client.need<{ token: string }>('POST', '/users/login', { body: credentials });
  return {
    client,
    token,
    /** Creates an application. Resolves with its domain. */
    async create(schema: object): Promise<string> {
      const body = { name: 'Bench', type: 'other', schema: JSON.stringify(schema) };
      const { domain } = await client.need<{ domain: string }>('POST', '/applications', { token, body });
      return domain;
    },
  };
}

/** An API with one application. */
export async function startSluice(bench: Bench, options: ApiOptions & { schema: object }) {
  const api = await startApi(bench, options);
  const account = await openAccount(api.url);
  const domain = await account.create(options.schema);
  return { ...api, account, domain, uploads: api.uploadsOf(domain) };
}
