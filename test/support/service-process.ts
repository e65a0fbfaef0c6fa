import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { lowPort } from './low-port.ts';
import { processEnv } from './process-env.ts';
import { call, ownStores, until } from './sluice.ts';

const services = join(import.meta.dirname, '../../services');

/** Runs a service as its own process, with these variables and no others. Call in a test. */
export function run(service: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [join(services, service, 'src/main.ts')], {
    env: processEnv(env),
    cwd: import.meta.dirname,
  });
  const output = { text: '' };
  child.stdout.on('data', (chunk) => {
    output.text += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.text += chunk;
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, output };
}

/** By itself or by a signal. */
export const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

export const exitOf = async (child: ChildProcess) => child.exitCode ?? (await once(child, 'exit'))[0];

/** The API, once it is ready. */
export async function runApi(env: Record<string, string> = {}) {
  const port = await lowPort();
  const url = `http://127.0.0.1:${port}`;
  const running = run('api', { ...ownStores(), ...env, PORT: String(port) });
  const isReady = async () => {
    if (hasEnded(running.child)) throw new Error(running.output.text);
    return call(url, 'GET', '/api/health/ready').then(
      ({ status }) => status === 200,
      () => false,
    );
  };
  await until(isReady, Number.POSITIVE_INFINITY);
  return { ...running, url };
}
