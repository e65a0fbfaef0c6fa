import { createInterface } from 'node:readline/promises';
import { CliError, type ExitCode } from '../cli-error.ts';
import type { Context } from '../context.ts';
import type { Terminal } from '../terminal.ts';

/** Asks before something is changed. Throws CliError unless the answer is yes. */
export async function confirm(
  { stdin, stderr, signal }: Terminal,
  question: string,
  yes: boolean | undefined,
  { flag, code }: { flag: string; code: ExitCode } = { flag: '--yes', code: 2 },
): Promise<void> {
  if (yes) return;
  if (!stdin.isTTY) throw new CliError(`${question} Confirm with ${flag}`, code);
  const terminal = createInterface({ input: stdin, output: stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `, { signal });
    if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('nothing was changed', code);
  } finally {
    terminal.close();
  }
}

/** Deletes something after a question, and says what the server says. */
export async function remove(context: Context, path: string, question: string, yes?: boolean): Promise<void> {
  await confirm(context, question, yes);
  const { data } = await context.api.ask<{ message: string }>('DELETE', path);
  context.tell(data, data.message);
}
