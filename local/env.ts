import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

/** What is needed before the settings can be loaded, which is to come from a cache already. */
export function localEnv(env: NodeJS.ProcessEnv = process.env) {
  const cacheDir = join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sluice');
  return {
    /** Downloaded servers; shared by all data folders and clones. */
    cacheDir,
    /** Where Node keeps what it has compiled: halves the time a service takes to load. */
    compileCache: env.NODE_COMPILE_CACHE || join(cacheDir, 'node'),
  };
}

/** What the user set, for the services to inherit. */
export const inherited = (): NodeJS.ProcessEnv => ({ ...process.env });

/** The full path of a program on the PATH; undefined if it is not there. */
export const onPath = (program: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((dir) => resolve(dir, program))
    .find(isExecutable);

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
