import { version } from '@sluice/shared/version.ts';
import { Command, CommanderError } from 'commander';
import { NoAnswer } from './api/no-answer.ts';
import { unusedProxy, useProxy } from './api/proxy.ts';
import type { Patience } from './api/retry.ts';
import { CliError, type ExitCode } from './cli-error.ts';
import { addActivity } from './commands/activity.ts';
import { addApps } from './commands/apps.ts';
import { addArchives } from './commands/archives.ts';
import { addClient } from './commands/client.ts';
import { addCompletion } from './commands/completion.ts';
import { addEntries } from './commands/entries.ts';
import { addErase } from './commands/erase.ts';
import { addExport } from './commands/export.ts';
import { addFields } from './commands/fields.ts';
import { addHelp } from './commands/help.ts';
import { addImport } from './commands/import.ts';
import { addImports } from './commands/imports.ts';
import { addKeys } from './commands/keys.ts';
import { addList } from './commands/list.ts';
import { addLogin } from './commands/login.ts';
import { addMembers } from './commands/members.ts';
import { addQueries } from './commands/queries.ts';
import { addQuery } from './commands/query.ts';
import { addRefused } from './commands/refused.ts';
import { addSchema } from './commands/schema.ts';
import { addSend } from './commands/send.ts';
import { addStats } from './commands/stats.ts';
import { addTail } from './commands/tail.ts';
import { addTokens } from './commands/tokens.ts';
import { addVerify } from './commands/verify.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { type Act, createAct } from './context.ts';
import { harmless, openTerminal, type Streams, type Terminal } from './terminal.ts';

/** Each function adds a command and its options to the program. */
const commands: ((program: Command, act: Act, terminal: Terminal) => void)[] = [
  addLogin,
  addApps,
  addSend,
  addVerify,
  addTail,
  addList,
  addEntries,
  addErase,
  addStats,
  addFields,
  addQuery,
  addQueries,
  addExport,
  addImport,
  addImports,
  addSchema,
  addRefused,
  addKeys,
  addTokens,
  addWebhooks,
  addArchives,
  addMembers,
  addActivity,
  addClient,
  addCompletion,
  addHelp,
];

/** `sluice` with all its commands. */
export function createProgram(terminal: Terminal, act: Act): Command {
  const { stdout, stderr } = terminal;
  const program = new Command('sluice')
    .description('Sends data to Sluice, and reads it back.')
    .version(version(), '--version')
    .option('--url <address>', 'where Sluice is, such as https://sluice.example (SLUICE_URL)')
    .option('--token <token>', 'a personal token, or an ingest key (SLUICE_TOKEN)')
    .option('--app <domain>', 'the application (SLUICE_APP)')
    .option('--profile <name>', 'which login to use')
    .option('--json', 'print only the result, as JSON')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('see `sluice help`, or `sluice help COMMAND`')
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .addHelpText('after', '\nBegin with: sluice login --url https://sluice.example');
  for (const add of commands) add(program, act, terminal);
  return program;
}

/** Runs a command, and returns its exit code. Throws only for defects. */
export async function run(
  args: string[],
  streams: Streams,
  signal: AbortSignal,
  patience?: Patience,
): Promise<ExitCode> {
  let code: ExitCode = 0;
  const terminal = openTerminal(streams, signal);
  const act = createAct(
    terminal,
    (ended) => {
      code = ended;
    },
    patience,
  );
  try {
    useProxy(streams.env);
    await createProgram(terminal, act).parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    // A question that Ctrl-C ends has a signal of its own.
    if (signal.aborted || (error as NodeJS.ErrnoException).code === 'ABORT_ERR') return 130;
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const known = plain(error);
    if (!known) throw error;
    const message = error instanceof NoAnswer ? known + unusedProxy(streams.env) : known;
    for (const line of message.split('\n')) streams.stderr.write(`sluice: ${harmless(line)}\n`);
    return error instanceof CliError ? error.code : 2;
  }
}

const faultsOfFiles: Record<string, string> = {
  ENOENT: 'no such file or folder',
  EISDIR: 'is a folder: name a file',
  ENOTDIR: 'a part of the path is no folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOSPC: 'the disk is full',
};

/** The message of an expected error; undefined for a defect. */
function plain(error: unknown): string | undefined {
  if (error instanceof CliError) return error.message;
  const { syscall, code = '', path = 'the file', message } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return undefined;
  const fault = faultsOfFiles[code];
  return fault === undefined ? message : `${path}: ${fault}`;
}
