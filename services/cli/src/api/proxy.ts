import * as http from 'node:http';
import { CliError } from '../cli-error.ts';

type Env = Record<string, string | undefined>;

/** Absent before Node.js 24.14. */
const { setGlobalProxyFromEnv } = http as { setGlobalProxyFromEnv?: (env: Env) => void };
const names = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];

/** Sends requests through the proxy of the environment. Throws CliError if it is none. */
export function useProxy(env: Env): void {
  for (const name of names)
    if (env[name] && !URL.canParse(env[name]))
      throw new CliError(`${name} is not a URL: give one such as http://proxy.example:3128`);
  setGlobalProxyFromEnv?.(env);
}

/** What to say of a server that does not answer, where Node.js knows no proxy. */
export function unusedProxy(env: Env): string {
  const name = names.find((each) => env[each]);
  if (!name || setGlobalProxyFromEnv || env.NODE_USE_ENV_PROXY) return '';
  return `\n${name} is not used: Node.js ${process.version} knows no proxy, Node.js 24.14 does`;
}
