import { existsSync } from 'node:fs';
import {
  ConfigError,
  environment,
  loadApiConfig,
  loadExportWorkerConfig,
  loadIngestWorkerConfig,
  loadQueryWorkerConfig,
  renamed,
} from '@sluice/shared/config/load.ts';
import {
  archiveFolderOf,
  localDefaults,
  localUrl,
  secretFileOf,
  secretsKeyFileOf,
} from '@sluice/shared/config/local-stores.ts';
import { fileSetting } from '@sluice/shared/config/secret-files.ts';
import {
  Api,
  Common,
  ExportWorker,
  IngestWorker,
  Local,
  QueryWorker,
} from '@sluice/shared/config/variables.ts';

const services = {
  api: { settings: { ...Common, ...Api }, load: loadApiConfig },
  'ingest-worker': { settings: IngestWorker, load: loadIngestWorkerConfig },
  'export-worker': { settings: ExportWorker, load: loadExportWorkerConfig },
  'query-worker': { settings: QueryWorker, load: loadQueryWorkerConfig },
};

export type ServiceName = keyof typeof services;
export const serviceNames = Object.keys(services) as ServiceName[];

/** The services of an installation; one without QUERY_URL has no query workers. */
export const servicesOf = ({ QUERY_URL }: Env): ServiceName[] =>
  serviceNames.filter((name) => name !== 'query-worker' || QUERY_URL !== undefined);

export interface SettingInForce {
  name: string;
  /** The value as text; for a secret only whether it is set. */
  value: string;
  from: 'set' | 'file' | 'npm start' | 'default';
}

export interface InForce {
  settings: SettingInForce[];
  /** One line for each fault, without values of secrets. */
  faults: string[];
}

type Env = ReturnType<typeof environment>;
type Setting = { desc: string; example?: string; isSecret?: boolean };

/** Settings that `npm start` adds if it runs, or ran, the stores. */
function addedByStart(env: Env): Env {
  const dataDir = env.DATA_DIR ?? Local.DATA_DIR.example;
  const added: Env = {
    MONGODB_URL: localUrl(dataDir, 'mongod'),
    REDIS_URL: localUrl(dataDir, 'redis'),
    ARCHIVE_FOLDER: archiveFolderOf(dataDir),
  };
  if (env.MONGODB_URL || env.MONGODB_URL_FILE || !added.MONGODB_URL) return {};
  const made = { JWT_SECRET: secretFileOf(dataDir), SECRETS_KEY: secretsKeyFileOf(dataDir) };
  for (const [name, file] of Object.entries(made))
    if (existsSync(file) && !env[name] && !env[fileSetting(name)]) added[fileSetting(name)] = file;
  return { ...added, ...localDefaults(env.HOST ?? Api.HOST.example) };
}

/** The settings of a service started here, and their faults. */
export function settingsInForce(service: ServiceName, asSet = environment()): InForce {
  const given = renamed(asSet);
  const added = addedByStart(given);
  const env = { ...added, ...given };
  const { settings, load } = services[service];

  function inForce([name, { example = '', isSecret }]: [string, Setting]): SettingInForce {
    const source = isSecret && env[fileSetting(name)] !== undefined ? fileSetting(name) : name;
    const raw = env[source];
    if (raw === undefined) return { name, value: isSecret ? 'not set' : example, from: 'default' };
    const usual = source === name ? 'set' : 'file';
    return {
      name,
      value: isSecret ? 'hidden' : raw,
      from: given[source] === undefined ? 'npm start' : usual,
    };
  }

  return { settings: Object.entries<Setting>(settings).map(inForce), faults: faultsOf(() => load(env)) };
}

function faultsOf(load: () => unknown): string[] {
  try {
    load();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
}
