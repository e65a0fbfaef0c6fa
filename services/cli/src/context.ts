import { Console } from 'node:console';
import { nearest } from '@sluice/shared/nearest.ts';
import { printRows, type Row } from '@sluice/shared/terminal/print.ts';
import type { Command } from 'commander';
import { type Answer, ApiFailure } from './api/answer.ts';
import { type Api, createApi } from './api/api.ts';
import { createRetry, type Patience } from './api/retry.ts';
import { CliError, type ExitCode } from './cli-error.ts';
import { nameOptions } from './output/name-options.ts';
import { canOthersRead, profilesFile } from './settings/profiles.ts';
import { type GlobalOptions, readSettings, type Settings } from './settings/settings.ts';
import { harmless, type Terminal } from './terminal.ts';

/** What a command works with. */
export interface Context extends Terminal, Settings {
  api: Api;
  /** Repeats a request that is safe to repeat. */
  retry: ReturnType<typeof createRetry>;
  /** The domain of the chosen application. Throws CliError without one. */
  domain: () => string;
  /** The path of something of the application, such as `/keys`. */
  path: (rest: string) => string;
  /** Prints an answer: exactly with `--json`, else these columns of its rows. */
  show: (answer: Answer<unknown>, columns: string[], rows?: object[]) => void;
  /** Asks for a list of the application, and shows it. */
  list: (rest: string, ...columns: string[]) => Promise<void>;
  /** Prints what a command did: as JSON with `--json`, else as a message. */
  tell: (result: object, message: string) => void;
}

const noLogin =
  'you are not logged in: `sluice login --url https://sluice.example`, or say --url or SLUICE_URL';

export async function openContext(
  terminal: Terminal,
  options: GlobalOptions,
  patience?: Patience,
): Promise<Context> {
  const { stdout, stderr, say, signal, env } = terminal;
  const settings = await readSettings(options, env);
  if (await canOthersRead(env)) say(`warning: others may read your tokens: chmod 600 ${profilesFile(env)}`);
  const checkLogin = () => {
    if (!settings.isLoggedIn) throw new CliError(noLogin);
  };
  const domain = () => {
    checkLogin();
    if (settings.app) return settings.app;
    throw new CliError('which application? give --app DOMAIN; `sluice apps list` lists them');
  };
  const api = createApi(settings.url, settings.token, signal, checkLogin);
  const retry = createRetry(signal, ({ message }) => say(`${message}\ntrying again; Ctrl-C stops`), patience);
  const path = (rest: string) => `/applications/${encodeURIComponent(domain())}${rest}`;
  const show: Context['show'] = ({ text, data }, columns, rows = data as object[]) => {
    if (settings.json) stdout.write(`${text}\n`);
    else
      printRows(
        new Console(stdout, stderr),
        rows.map((row) => toCells(row, columns)),
      );
  };
  return {
    ...terminal,
    ...settings,
    api,
    retry,
    domain,
    path,
    show,
    list: async (rest, ...columns) => show(await retry(() => api.ask('GET', path(rest))), columns),
    tell(result, message) {
      if (settings.json) stdout.write(`${JSON.stringify(result)}\n`);
      else say(message.split('\n').map(harmless).join('\n'));
    },
  };
}

/** The context for another application than the one of `--app`. */
export const choose = (context: Context, domain: string | undefined): Context =>
  domain === undefined
    ? context
    : {
        ...context,
        app: domain,
        domain: () => domain,
        path: (rest) => `/applications/${encodeURIComponent(domain)}${rest}`,
      };

const toCells = (row: object, columns: string[]): Row => {
  const cells = new Map(Object.entries(row));
  const toCell = (value: unknown) =>
    typeof value === 'string' || Array.isArray(value) ? harmless(String(value)) : value;
  return Object.fromEntries(columns.map((name) => [name, toCell(cells.get(name))])) as Row;
};

/** An argument that is optional may be undefined. */
type Work<Options> = (
  context: Context,
  options: Options,
  ...args: [string, string]
) => Promise<ExitCode | undefined> | Promise<void>;

/** The action of a command: it gets the arguments as texts, and may return an exit code. */
export type Act = <Options extends object>(work: Work<Options>) => (...given: unknown[]) => Promise<void>;

/** Makes the actions of a program. `onEnd` gets the exit code of a command that did its work. */
export const createAct =
  (terminal: Terminal, onEnd: (code: ExitCode) => void, patience?: Patience): Act =>
  (work) =>
  async (...given) => {
    const command = given.at(-1) as Command;
    const context = await openContext(terminal, command.optsWithGlobals(), patience);
    try {
      onEnd((await work(context, command.opts(), ...(given.slice(0, -2) as [string, string]))) ?? 0);
    } catch (error) {
      throw await explained(context, error, command);
    }
  };

/** The failure with what to do next. */
async function explained(context: Context, error: unknown, command: Command): Promise<unknown> {
  if (!(error instanceof ApiFailure)) return error;
  const { status, kind, message, details, application } = error;
  if (status === 401)
    error.message = context.token
      ? `${message}: \`sluice login\` asks for a new token`
      : 'no token: `sluice login` asks for one, or set SLUICE_TOKEN';
  else if (status === 404 && application) error.message += await meant(context, application);
  else if (kind === 'InvalidRequestError') error.message = nameOptions(message, command);
  // The message of a malformed body has its details already.
  else if (kind !== 'MalformedBodyError') {
    const faults = details.map((detail) => harmless(`${detail.path ?? ''} ${detail.message}`.trim()));
    error.message = [message, ...faults.slice(0, 5)].join('\n');
  }
  return error;
}

/** The domain that was probably meant; empty if the application exists. */
async function meant({ api }: Context, domain: string): Promise<string> {
  const domains = await domainsOf(api).catch((): string[] => []);
  if (domains.includes(domain)) return '';
  const near = nearest(domain, domains);
  return near ? `: did you mean ${near}?` : '; `sluice apps list` lists yours';
}

/** Of all applications that the user may see. */
export async function domainsOf(api: Api): Promise<string[]> {
  const lists = ['own', 'shared'].map((whose) =>
    api.ask<{ domain: string }[]>('GET', '/applications', {
      query: { shared: whose === 'shared' || undefined },
    }),
  );
  return (await Promise.all(lists)).flatMap(({ data }) => data.map(({ domain }) => domain));
}
