import { localEnv } from '../../local/env.ts';

/** For a process of our own: what it is given, and nothing else of this one's variables than what it needs to start, soon. */
export const processEnv = (env: Record<string, string>): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: localEnv().compileCache,
  ...env,
});
