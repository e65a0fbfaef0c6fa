import { parseArgs } from 'node:util';
import { DemoError } from './demo-error.ts';

export const usage = `Usage: npm run demo -- [options]

Creates three applications on a running Sluice, uploads real public data to them, exports each as CSV
and checks that nothing is missing.

  --url <url>            address of Sluice (http://127.0.0.1:4000, or on PORT)
  --username <name>      an existing user, with --password; default: registers a new one
  --password <password>
  --out <folder>         where the exported files go (sluice-demo)
  --help                 this text`;

export interface Options {
  /** It has no slash at the end. */
  url: string;
  /** If absent, the demo registers a new user. */
  account?: { username: string; password: string };
  out: string;
}

/** Reads the command line and PORT; undefined if the user asks for help. Throws DemoError for wrong options. */
export function readOptions(argv: string[], { PORT = '4000' }: NodeJS.ProcessEnv = {}): Options | undefined {
  const { help, url = `http://127.0.0.1:${PORT}`, out, username, password } = parse(argv);
  if (help) return undefined;
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)) {
    throw new DemoError(`--url ${url} is not an http or https address`);
  }
  if ((username === undefined) !== (password === undefined)) {
    throw new DemoError('--username and --password go together');
  }
  const account = username !== undefined && password !== undefined && { username, password };
  return { url: url.replace(/\/+$/, ''), out, ...(account && { account }) };
}

function parse(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      options: {
        help: { type: 'boolean', short: 'h' },
        url: { type: 'string' },
        out: { type: 'string', default: 'sluice-demo' },
        username: { type: 'string' },
        password: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new DemoError(`${(error as Error).message}; see --help`);
  }
}
