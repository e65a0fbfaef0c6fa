import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

/** Read before the settings can be loaded, as loading them already uses the compile cache. */
export function localEnv(env: NodeJS.ProcessEnv = process.env) {
  const cacheDir = join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sluice');
  return {
    /** Downloaded servers, for all data folders and clones. */
    cacheDir,
    /** Node's compile cache, which halves the time to load a service. */
    compileCache: env.NODE_COMPILE_CACHE || join(cacheDir, 'node'),
  };
}

/** The user's variables, which the services inherit. */
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
