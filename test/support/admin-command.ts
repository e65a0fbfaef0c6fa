import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from '@sluice/admin/program.ts';
import { processEnv } from './process-env.ts';
import { exitOf } from './service-process.ts';

type Env = Record<string, string>;

const main = join(import.meta.dirname, '../../services/admin/src/main.ts');
const withTime = (env: Env): Env => ({ MONGODB_TIMEOUT: '60s', ...env });

/** Runs `sluice-admin` in this process, on the stores of these settings, and tells how it ended. */
export async function admin(env: Env, args: string[], input: Uint8Array = Buffer.alloc(0)) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const code = await run(args, { stdin: Readable.from([input]), stdout, stderr }, withTime(env));
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code, stdout: out, stderr: err };
}

/** What `sluice-admin` does when its user presses Ctrl-C at its first question. */
export async function interruptedAdmin(env: Env, args: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const code = run(args, { stdin, stdout, stderr }, withTime(env));
  const [question] = await once(stderr, 'data');
  stdin.write('\x03');
  return { question: String(question), code: await code };
}

/** `sluice-admin` as a process of its own. */
export const spawnAdmin = (env: Env, args: string[]) =>
  spawn(process.execPath, [main, ...args], { env: processEnv(withTime(env)) });

/** The same as `admin`, by a process of its own. */
export async function adminProcess(env: Env, args: string[], input: Uint8Array = Buffer.alloc(0)) {
  const child = spawnAdmin(env, args);
  // A command that refuses what it reads ends before all of it is written.
  child.stdin.on('error', () => {}).end(input);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
  return { code, stdout, stderr };
}
