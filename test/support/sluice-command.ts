import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from '@sluice/cli/program.ts';
import { onTestFinished } from 'vitest';
import { processEnv } from './process-env.ts';

/** Of a server that is away. */
const patience = { firstMs: 1_000, laterMs: 60_000 };

interface Options {
  input?: string | Buffer;
  signal?: AbortSignal;
}

/** A user of `sluice` with a home of their own, in a folder. Call in a test. */
export function commandLine(settings: { url: string; token?: string; app?: string }) {
  const home = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env: Record<string, string> = {
    HOME: home,
    SLUICE_URL: settings.url,
    ...(settings.token && { SLUICE_TOKEN: settings.token }),
    ...(settings.app && { SLUICE_APP: settings.app }),
  };

  /** Starts a command in this process; what it prints can be read while it runs. */
  function start(args: string[], { input = '', signal = new AbortController().signal }: Options = {}) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const code = run(
      args,
      { stdin: Readable.from([Buffer.from(input)]), stdout, stderr, env },
      signal,
      patience,
    );
    const end = () => {
      stdout.end();
      stderr.end();
    };
    code.then(end, end);
    return { code, stdout, stderr };
  }

  return {
    home,
    env,
    start,
    at: (name: string) => join(home, name),

    /** Runs a command, and tells how it ended. */
    async sluice(args: string[], options?: Options) {
      const { code, stdout, stderr } = start(args, options);
      const [ended, out, err] = await Promise.all([code, text(stdout), text(stderr)]);
      return { code: ended, stdout: out, stderr: err };
    },
  };
}

/** The program of `sluice`. */
export const main = join(import.meta.dirname, '../../services/cli/src/main.ts');

/** `sluice` as a process of its own, which ends with the test. */
export function spawnCommand(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [main, ...args], { env: processEnv(env) });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
