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

/** Runs a program; resolves with what it printed on stdout, rejects with what it printed on stderr. */
async function run(program: string, args: string[], settings: Record<string, string> = {}): Promise<string> {
  try {
    const { stdout } = await execute(program, args, {
      cwd: root,
      env: { ...env, ...settings },
      maxBuffer: 64 * 1024 ** 2,
    });
    return stdout.trim();
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error(`${program} ${args.join(' ')}\n${stderr || message}`);
  }
}

export const docker = (...args: string[]) => run('docker', args);

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
  const own = { COMPOSE_PROJECT_NAME: project, COMPOSE_ENV_FILES: envFile };

  return {
    port,
    url: `http://127.0.0.1:${port}/api`,
    compose,
    /** Runs a script of `deploy/` on this project; resolves with what it printed on stdout. */
    script: (name: string, ...args: string[]) => run(`deploy/${name}`, args, own),
    /** Runs `deploy/update.sh` with these settings, which come before those of the stack. */
    update: (changed: Record<string, string> = {}) => run('deploy/update.sh', [], { ...own, ...changed }),
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

/** Resolves when the condition holds; rejects after the time limit. */
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
