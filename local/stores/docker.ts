import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import type { Children } from '../children.ts';

const run = promisify(execFile);

/** Why Docker cannot be used; undefined when it answers. */
export async function dockerProblem(): Promise<string | undefined> {
  try {
    await run('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: 10_000 });
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'not installed' : 'not running';
  }
}

/** Why `image` cannot be had; undefined when it is there. Pulls it, with Docker's progress on the terminal. */
export async function pullImage(
  image: string,
  children: Children,
  log: (line: string) => void,
  limitMs = 30 * 60_000,
): Promise<string | undefined> {
  const there = await run('docker', ['image', 'inspect', image]).catch(() => undefined);
  if (there) return undefined;
  log(`Pulling ${image} (only this once)`);
  const pull = children.start({
    name: `pull-${image.replaceAll(/\W/g, '-')}`,
    command: 'docker',
    args: ['pull', image],
    rank: 3,
    graceMs: 2_000,
    stdio: ['ignore', 'inherit', 'ignore'],
  });
  const timer = setTimeout(pull.stop, limitMs);
  const { code } = await pull.exited;
  clearTimeout(timer);
  return code === 0 ? undefined : `${image} cannot be pulled`;
}

export interface Container {
  image: string;
  /** The port it listens on inside. */
  inside: number;
  mount: { source: string; target: string };
  args: string[];
}

/** `docker run` in the foreground, published on 127.0.0.1 only; it ends with the process and is then removed. */
export function dockerRun({ image, inside, mount, args }: Container, port: number) {
  const name = containerName(mount.source);
  const { uid, gid } = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  return {
    command: 'docker',
    args: [
      ...['run', '--rm', '--name', name, '--publish', `127.0.0.1:${port}:${inside}`],
      // As this user, or its files could not be removed without root.
      ...(uid ? ['--user', `${uid}:${gid}`] : []),
      ...['--mount', `type=bind,source=${mount.source},target=${mount.target}`, image, ...args],
    ],
    alsoKill: () => removeContainer(mount.source),
  };
}

/** One name for one folder: what a killed run left can be found again. */
const containerName = (folder: string) =>
  `sluice-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;

export function removeContainer(folder: string): void {
  try {
    execFileSync('docker', ['rm', '--force', containerName(folder)], { stdio: 'ignore', timeout: 20_000 });
  } catch {
    // It may be gone already; if not, the next start removes it.
  }
}
