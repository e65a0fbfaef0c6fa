import { join } from 'node:path';
import type { LocalConfig } from '@sluice/shared/config/load.ts';
import { archiveFolderOf, localDefaults } from '@sluice/shared/config/local-stores.ts';
import type { Children } from './children.ts';
import type { openDataDir } from './data-dir.ts';
import type { localEnv } from './env.ts';
import { firstLink } from './first-link.ts';
import { checkPort, freePort } from './ports.ts';
import { addressOf, waitUntilReady } from './ready.ts';
import { refuseHalfRestored } from './refuse-half-restored.ts';
import { collectors } from './services/collectors.ts';
import { startService } from './services/service.ts';
import { watchSources } from './services/watch.ts';
import { StartError } from './start-error.ts';
import { startMongodb } from './stores/mongodb.ts';
import { startRedis } from './stores/redis.ts';

export interface UpOptions {
  config: LocalConfig;
  local: ReturnType<typeof localEnv>;
  dataDir: ReturnType<typeof openDataDir>;
  /** The name of each service, and the file that `node` runs. */
  services: Record<string, string>;
  /** The root of the sources to watch. Without it, the services write to log files. */
  watchRoot?: string | undefined;
  children: Children;
  log: (line: string) => void;
}

/** Starts the stores and the services, and resolves when the API is ready. Throws StartError. */
export async function up(options: UpOptions) {
  const { config, local, dataDir, children, log, watchRoot } = options;
  const port = await checkPort(config.port, config.host);
  const shared = { dataDir: dataDir.dir, cacheDir: local.cacheDir, children, log };
  const starting = Promise.all([
    startMongodb({ ...shared, url: config.mongodbUrl }),
    startRedis({ ...shared, url: config.redisUrl }),
  ]);
  const later = starting.then(([mongodb, redis]) => ({ MONGODB_URL: mongodb.url, REDIS_URL: redis.url }));
  later.catch(() => {});

  const queryPort = await freePort(4100);
  const env = {
    QUERY_URL: `http://127.0.0.1:${queryPort}`,
    QUERY_PORT: String(queryPort),
    JWT_SECRET: dataDir.jwtSecret,
    SECRETS_KEY: dataDir.secretsKey,
    ARCHIVE_FOLDER: archiveFolderOf(dataDir.dir),
    ...localDefaults(config.host),
    ...config.env,
    HOST: config.host,
    PORT: String(port),
    NODE_COMPILE_CACHE: local.compileCache,
    // All services would use the same port.
    MONITORING_PORT: '0',
  };
  const logs = watchRoot ? undefined : dataDir.logs;
  const services = Object.entries(options.services).map(([name, entry]) =>
    startService({ name, entry, env: { ...env, ...collector(name, env) }, later, logs, children, log }),
  );
  const [mongodb, redis] = await starting;
  const broken = Promise.race([mongodb.broken, redis.broken, ...services.map(({ failed }) => failed)]);
  broken.catch(() => {});

  const address = addressOf(config.host, port);
  if (services.length > 0)
    await Promise.all([readyOrBroken(address, broken, logs), refuseHalfRestored(mongodb.url)]);
  for (const service of services) service.markReady();
  const installation = { address, mongodbUrl: mongodb.url, jwtSecrets: env.JWT_SECRET };
  const link = config.console && services.length > 0 ? await firstLink(installation) : undefined;
  if (watchRoot) watchSources(watchRoot, () => void restartAll());
  return { address, link, mongodb, redis, broken };

  async function restartAll() {
    log('Sources changed, restarting the services');
    await Promise.all(services.map((service) => service.restart()));
  }
}

function collector(service: string, { NODE_OPTIONS = '' }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = (collectors as Record<string, string[]>)[service];
  return own ? { NODE_OPTIONS: [NODE_OPTIONS, ...own].join(' ').trim() } : {};
}

async function readyOrBroken(address: string, broken: Promise<never>, logs?: string): Promise<void> {
  const waiting = new AbortController();
  try {
    await Promise.race([broken, waitUntilReady(address, waiting.signal)]);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const where = logs ? `, see ${join(logs, 'api.log')}` : '';
    throw new StartError(`the API does not become ready (${(error as Error).message})${where}`);
  } finally {
    waiting.abort();
  }
}
