import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The stores that `npm start` runs, and their URLs. */
export const localStores = {
  // The replica set has the member under a port that may change, so clients connect directly.
  mongod: (port: number) => `mongodb://127.0.0.1:${port}/?directConnection=true`,
  redis: (port: number) => `redis://127.0.0.1:${port}`,
};

/** The file in which `npm start` keeps the port of a store. */
export const portFileOf = (dataDir: string, name: string): string => join(dataDir, 'run', `${name}.port`);

/** The URL of the store that `npm start` runs, or ran last, in this folder; undefined if there was none. */
export function localUrl(dataDir: string, name: keyof typeof localStores): string | undefined {
  const port = readKept(portFileOf(dataDir, name));
  return port === undefined ? undefined : localStores[name](Number(port));
}

/** The text of a file; undefined where there is none. */
function readKept(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

const isLoopback = (host: string) => /^(127\..*|localhost|::1)$/.test(host);

/** Settings that have other defaults under `npm start`. */
export const localDefaults = (host: string) => ({
  REGISTRATION_OPEN: 'on',
  // All clients of a loopback address share one address.
  ...(isLoopback(host) && { REGISTER_RATE: 'off', LOGIN_RATE: 'off' }),
});

/** The file with the JWT secret that `npm start` makes. */
export const secretFileOf = (dataDir: string): string => join(dataDir, 'jwt-secret');

/** The file with the SECRETS_KEY that `npm start` makes. */
export const secretsKeyFileOf = (dataDir: string): string => join(dataDir, 'secrets-key');

/** The SECRETS_KEY of `npm start`; undefined if it never ran in this folder. */
export function localSecretsKeys(dataDir: string): string[] | undefined {
  const key = readKept(secretsKeyFileOf(dataDir));
  return key === undefined ? undefined : [key.trim()];
}

/** The folder for archives that `npm start` uses. */
export const archiveFolderOf = (dataDir: string): string => join(dataDir, 'archive');
