import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const root = new URL('../..', import.meta.url);
/** All that reaches compose from outside: a developer's settings must not. */
const passedOn = /^(PATH|HOME|TMPDIR|DOCKER_.*|BUILDKIT_.*|[A-Z]+_IMAGE|BUILD_NETWORK)$/;
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.test(name)));

/** Runs docker; resolves with what it printed on stdout, rejects with what it printed on stderr. */
export async function docker(...args: string[]): Promise<string> {
  try {
    const { stdout } = await execute('docker', args, { cwd: root, env, maxBuffer: 64 * 1024 ** 2 });
    return stdout.trim();
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error(`docker ${args.join(' ')}\n${stderr || message}`);
  }
}

async function requireDocker(): Promise<void> {
  try {
    await docker('version');
    await docker('compose', 'version');
  } catch (error) {
    throw new Error(
      `run npm run test:compose where Docker and its compose plugin are: ${(error as Error).message}`,
    );
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Two of each service that can have more than one. */
export const scale = ['api', 'ingest-worker', 'export-worker'].flatMap((name) => ['--scale', `${name}=2`]);

/** A compose project of its own with these settings as its `.env`, and with more files; nothing runs yet. */
export async function createStack(settings: Record<string, string>, files: string[] = []) {
  await requireDocker();
  const directory = await mkdtemp(join(tmpdir(), 'sluice-compose-'));
  const envFile = join(directory, '.env');
  const port = await freePort();
  const lines = Object.entries({ SLUICE_PORT: `${port}`, ...settings }).map(
    ([name, value]) => `${name}=${value}\n`,
  );
  await writeFile(envFile, lines.join(''));
  const project = `sluice-test-${randomBytes(4).toString('hex')}`;
  const named = ['docker-compose.yml', ...files].flatMap((file) => ['-f', file]);
  const compose = (...args: string[]) =>
    docker('compose', '-p', project, '--env-file', envFile, ...named, ...args);

  return {
    port,
    url: `http://127.0.0.1:${port}/api`,
    compose,
    /** Runs a script of `deploy/` on this project; resolves with what it printed on stdout. */
    async script(name: string, ...args: string[]): Promise<string> {
      const own = { COMPOSE_PROJECT_NAME: project, COMPOSE_ENV_FILES: envFile };
      const { stdout } = await execute(`deploy/${name}`, args, { cwd: root, env: { ...env, ...own } });
      return stdout.trim();
    },
    /** Container ids of a service's replicas that run. */
    replicas: async (service: string) => (await compose('ps', '-q', service)).split('\n').filter(Boolean),
    /** Takes everything away, the volumes and images too. */
    down: () => compose('down', '-v', '--remove-orphans', '--rmi', 'local', '--timeout', '5'),
    /** Forgets the settings: the last that is done. */
    discard: () => rm(directory, { recursive: true }),
  };
}

export type Stack = Awaited<ReturnType<typeof createStack>>;

export async function inspect(container: string, format: string): Promise<string> {
  return docker('inspect', '--format', format, container);
}

/** Resolves when the condition holds; rejects when it does not within that time. */
export async function until(
  what: string,
  condition: () => Promise<boolean>,
  withinMs = 60_000,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs / 1_000} s: ${what}`);
    await pause(200);
  }
}
