import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { portFileOf } from '@sluice/shared/config/local-stores.ts';
import type { Child, Children } from '../children.ts';
import { openLog } from '../log-file.ts';
import { freePort } from '../ports.ts';
import { StartError } from '../start-error.ts';
import { type Container, dockerRun, removeContainer } from './docker.ts';
import type { Found } from './find.ts';

export interface StoreOptions {
  /** The URL of a running server, which is used unchanged. */
  url?: string | undefined;
  dataDir: string;
  cacheDir: string;
  children: Children;
  log: (line: string) => void;
}

export interface Store {
  url: string;
  /** For messages: `mongod 6.0.5 from the cache`. */
  source: string;
  /** Rejects if the server died so often that it is not restarted. */
  broken: Promise<never>;
  stop(): Promise<void>;
}

const never = new Promise<never>(() => {});

export const usedAsIs = (url: string, variable: string): Store => ({
  url,
  source: `the one in ${variable}`,
  broken: never,
  stop: async () => {},
});

export interface Server {
  name: string;
  rank: number;
  found: Found;
  dataDir: string;
  children: Children;
  log: (line: string) => void;
  programArgs(port: number): string[];
  container: Omit<Container, 'image'>;
  /** Resolves when the server at `port` is ready. `inside`: the port inside its container. */
  prepare(port: number, inside: number, alive: AbortSignal): Promise<void>;
}

interface Running {
  child: Child;
  /** Resolves with the reason when the process has ended. */
  ended: Promise<string>;
  /** Rejects if the process ends before it is ready. */
  ready: Promise<void>;
}

/**
 * Runs a server on 127.0.0.1, if possible on the port of the last run, and resolves when it is ready.
 * A server that dies later is restarted on the same port. Throws Stopped if it dies before.
 */
export async function runStore(server: Server, url: (port: number) => string): Promise<Store> {
  const { name, dataDir, found } = server;
  const portFile = portFileOf(dataDir, name);
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(attempt === 1 ? lastPort(portFile) : 0);
    const running = run(server, port);
    try {
      await running.ready;
    } catch (error) {
      await running.child.stop();
      // Another process may have taken the port since it was found free.
      if (attempt < 3 && (await freePort(port)) !== port) continue;
      throw error;
    }
    writeFileSync(portFile, String(port));
    return { url: url(port), source: found.source, ...keepRunning(server, port, running) };
  }
}

/** After this many deaths within this time, the server is not restarted. */
const mostDeaths = 5;
const deathsWithinMs = 60_000;
const firstDelayMs = 100;

function keepRunning(server: Server, port: number, first: Running): Pick<Store, 'broken' | 'stop'> {
  const { name, children, log } = server;
  let running = first;
  let stopping = false;
  const isWanted = () => !stopping && !children.closing;
  let deaths: number[] = [];

  async function watch(): Promise<never> {
    for (;;) {
      const how = await running.ended;
      if (!isWanted()) return never;
      const now = performance.now();
      deaths = [...deaths, now].filter((at) => now - at < deathsWithinMs);
      if (deaths.length === mostDeaths)
        throw new Stopped(server, how, ` ${mostDeaths} times within a minute`);
      log(`${new Stopped(server, how).message}; starting it again`);
      await wait(firstDelayMs * 2 ** (deaths.length - 1));
      if (!isWanted()) return never;
      running = run(server, port);
      await running.ready.then(
        () => log(`${name} runs again`),
        () => running.child.stop(),
      );
    }
  }

  const broken = watch();
  broken.catch(() => {});
  return {
    broken,
    stop() {
      stopping = true;
      return running.child.stop();
    },
  };
}

function run(server: Server, port: number): Running {
  const { found, container } = server;
  const child = launch(server, port);
  const gone = new AbortController();
  const ended = child.exited.then(({ code, signal, error }) => {
    const how = error?.message ?? signal ?? `exit code ${code}`;
    gone.abort(new Stopped(server, how));
    return how;
  });
  const inside = 'image' in found ? container.inside : port;
  const ready = server.prepare(port, inside, gone.signal);
  ready.catch(() => {});
  return { child, ended, ready };
}

/** A server has ended by itself. */
export class Stopped extends StartError {
  /** The exit code or signal. */
  how: string;

  constructor(server: Server, how: string, howOften = '') {
    super(`${server.name} stopped${howOften} (${how}), see ${logFile(server)}`);
    this.how = how;
  }
}

export const logFile = ({ dataDir, name }: Pick<Server, 'dataDir' | 'name'>) =>
  join(dataDir, 'logs', `${name}.log`);

function launch(server: Server, port: number): Child {
  const { name, rank, found, dataDir, children, container } = server;
  for (const part of ['logs', 'run']) mkdirSync(join(dataDir, part), { recursive: true });
  const output = openLog(logFile(server));
  if ('image' in found) removeContainer(container.mount.source);
  const program =
    'image' in found
      ? dockerRun({ ...container, image: found.image }, port)
      : { command: found.program, args: server.programArgs(port) };
  try {
    return children.start({
      name,
      rank,
      graceMs: 30_000,
      ...program,
      stdio: ['ignore', output.fd, output.fd],
    });
  } finally {
    output.close();
  }
}

function lastPort(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

/** Repeats `step` until it succeeds, or `alive` says that the server has ended. */
export async function until<T>(step: () => Promise<T>, alive: AbortSignal, limitMs = 60_000): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    alive.throwIfAborted();
    try {
      return await step();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await wait(10);
    }
  }
}
