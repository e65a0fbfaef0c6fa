import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import type { Children } from '../children.ts';

const run = promisify(execFile);

/** Why Docker cannot be used; undefined if it answers. */
export async function dockerProblem(): Promise<string | undefined> {
  try {
    await run('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: 10_000 });
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'not installed' : 'not running';
  }
}

/** Pulls `image`, with Docker's progress on the terminal. Returns the reason if that fails, else undefined. */
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
  /** The port inside the container. */
  inside: number;
  mount: { source: string; target: string };
  args: string[];
}

/** Runs a container in the foreground, on 127.0.0.1 only. It is removed when the process ends. */
export function dockerRun({ image, inside, mount, args }: Container, port: number) {
  const name = containerName(mount.source);
  const { uid, gid } = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  return {
    command: 'docker',
    args: [
      ...['run', '--rm', '--name', name, '--publish', `127.0.0.1:${port}:${inside}`],
      // Runs as this user, so that the user can remove the files.
      ...(uid ? ['--user', `${uid}:${gid}`] : []),
      ...['--mount', `type=bind,source=${mount.source},target=${mount.target}`, image, ...args],
    ],
    alsoKill: () => removeContainer(mount.source),
  };
}

/** A folder always has the same name, so that the container of a killed run can be found. */
const containerName = (folder: string) =>
  `sluice-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;

export function removeContainer(folder: string): void {
  try {
    execFileSync('docker', ['rm', '--force', containerName(folder)], { stdio: 'ignore', timeout: 20_000 });
  } catch {
    // If this fails, the next start removes the container.
  }
}
