import { Console } from 'node:console';
import type { Readable, Writable } from 'node:stream';
import { environment } from '@sluice/shared/config/load.ts';

/** The streams of the process, or of a test. */
export interface Streams {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable;
  stderr: Writable;
}

/** The input and output of a command. */
export type Terminal = Streams & { console: Console; env: ReturnType<typeof environment> };

export const openTerminal = ({ stdin, stdout, stderr }: Streams, env = environment()): Terminal => ({
  stdin,
  stdout,
  stderr,
  env,
  console: new Console(stdout, stderr),
});
