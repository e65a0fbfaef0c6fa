import { Console } from 'node:console';
import type { Readable, Writable } from 'node:stream';
import { environment } from '@sluice/shared/config/load.ts';

/** The streams of the process, or of a test. */
export interface AdminStreams {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable;
  stderr: Writable;
}

/** The input and output of a command. */
export type AdminTerminal = AdminStreams & { console: Console; env: ReturnType<typeof environment> };

export const openTerminal = (
  { stdin, stdout, stderr }: AdminStreams,
  env = environment(),
): AdminTerminal => ({
  stdin,
  stdout,
  stderr,
  env,
  console: new Console(stdout, stderr),
});
