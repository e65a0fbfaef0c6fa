import { parseArgs } from 'node:util';
import { DemoError } from './demo-error.ts';

export const usage = `Usage: npm run demo -- [options]

Fills an account on a running Sluice, and prints a link that opens it:
- three applications with real public data, each exported as CSV and checked;
- weather stations with entries of 30 days and refused uploads. New ones come for another minute.

On the machine of npm start, the account is the user sluice-demo. The next run deletes it and begins again.

  --url <url>            address of Sluice (http://127.0.0.1:4000, or on PORT)
  --username <name>      an existing user, with --password, who gets further applications
  --password <password>
  --quick                the weather stations alone, without further entries
  --out <folder>         where the exported files go (sluice-demo)
  --help                 this text`;

export interface Options {
  /** It has no slash at the end. */
  url: string;
  /** If absent, the demo makes a user. */
  account?: { username: string; password: string };
  out: string;
  quick: boolean;
}

/** Reads the command line and PORT; undefined if the user asks for help. Throws DemoError for wrong options. */
export function readOptions(argv: string[], { PORT = '4000' }: NodeJS.ProcessEnv = {}): Options | undefined {
  const { help, url = `http://127.0.0.1:${PORT}`, out, quick, username, password } = parse(argv);
  if (help) return undefined;
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)) {
    throw new DemoError(`--url ${url} is not an http or https address`);
  }
  if ((username === undefined) !== (password === undefined)) {
    throw new DemoError('--username and --password go together');
  }
  const account = username !== undefined && password !== undefined && { username, password };
  return { url: url.replace(/\/+$/, ''), out, quick, ...(account && { account }) };
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
        quick: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new DemoError(`${(error as Error).message}; see --help`);
  }
}
