import type { Readable, Writable } from 'node:stream';

type Output = Writable & { isTTY?: boolean; columns?: number };

/** What a command needs of its process, or of a test. */
export interface Streams {
  stdin: Readable & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  env: Record<string, string | undefined>;
}

/** The input and output of a command. */
export interface Terminal extends Streams {
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** Writes a line of the result; resolves when there is room for more. */
  print: (line: string) => Promise<void>;
  /** Writes a message, which is no result. */
  say: (message: string) => void;
}

export function openTerminal({ stdin, stdout, stderr, env }: Streams, signal: AbortSignal): Terminal {
  return {
    stdin,
    stdout,
    stderr,
    env,
    signal,
    async print(line) {
      if (stdout.write(`${line}\n`)) return;
      await new Promise((resolve) => stdout.once('drain', resolve));
    },
    // A progress bar may be there.
    say: (message) => void stderr.write(`${stderr.isTTY ? '\r\x1b[K' : ''}${message}\n`),
  };
}

const isColourful = ({ stdout, env }: Terminal) => Boolean(stdout.isTTY) && !env.NO_COLOR;
const codes = { dim: 2, red: 31, green: 32, yellow: 33 };

/** The text in a colour, where the terminal shows colours. */
export const paint = (terminal: Terminal, colour: keyof typeof codes, text: string): string =>
  isColourful(terminal) ? `\x1b[${codes[colour]}m${text}\x1b[0m` : text;

/** Control characters of what others sent could change the terminal, or the order of its text. */
export const harmless = (text: string): string =>
  text.replace(
    /[^\P{Cc}\t]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
