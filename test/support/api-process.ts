import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { lowPort } from './low-port.ts';
import { processEnv } from './process-env.ts';
import { hasEnded } from './service-process.ts';
import { call, until } from './sluice.ts';

const main = join(import.meta.dirname, '../../services/api/src/main.ts');

/** The API as a process of its own, which can be killed and started again at the same port. Call in a test, or say what ends it. */
export async function createApiProcess(
  env: Record<string, string>,
  atEnd: (end: () => void) => void = onTestFinished,
) {
  const port = await lowPort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const kill = () => void child?.kill('SIGKILL');
  atEnd(kill);

  const isReady = () =>
    call(url, 'GET', '/api/health/ready').then(
      ({ status }) => status === 200,
      () => false,
    );

  /** Registers a user; returns a token. */
  async function owner(): Promise<string> {
    const credentials = { username: 'owner', password: 'correct horse' };
    await call(url, 'POST', '/api/users/register', { json: { ...credentials, locale: 'en' } });
    const login = await call(url, 'POST', '/api/users/login', { json: credentials });
    return login.body.data.token;
  }

  return {
    url,
    owner,

    /** Resolves when it is ready. */
    async start(): Promise<void> {
      const starting = spawn(process.execPath, [main], {
        env: processEnv({ ...env, PORT: String(port) }),
        stdio: 'ignore',
      });
      child = starting;
      // However long a busy machine takes.
      await until(async () => {
        if (hasEnded(starting)) throw new Error('the API ended before it was ready');
        return isReady();
      }, Number.POSITIVE_INFINITY);
    },

    pid: () => child?.pid,

    /** Kills the process. */
    kill,

    /** Asks the process to stop. */
    stop: () => void child?.kill('SIGTERM'),

    /** Resolves when it has ended. */
    async gone(): Promise<void> {
      if (child && !hasEnded(child)) await once(child, 'exit');
    },

    /** Registers a user and creates an application; returns its domain. */
    async application(schema: object): Promise<string> {
      const { body } = await call(url, 'POST', '/api/applications', {
        token: await owner(),
        json: { name: 'Test', type: 'other', schema: JSON.stringify(schema) },
      });
      return body.data.domain;
    },
  };
}
