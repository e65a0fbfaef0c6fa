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
  /** A server that runs already; it is used as it is. */
  url?: string | undefined;
  dataDir: string;
  cacheDir: string;
  children: Children;
  log: (line: string) => void;
}

export interface Store {
  url: string;
  /** For people: `mongod 6.0.5 from the cache`. */
  source: string;
  /** Rejects when it ends though nobody stopped it. */
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

interface Server {
  name: string;
  rank: number;
  found: Found;
  dataDir: string;
  children: Children;
  programArgs(port: number): string[];
  container: Omit<Container, 'image'>;
  /** Resolves once the server at `port` can be used. `inside` is the port it believes to have. */
  prepare(port: number, inside: number, alive: AbortSignal): Promise<void>;
}

/** Runs a server on a free port of 127.0.0.1, if possible on that of the last run, until it can be used. */
export async function runStore(server: Server, url: (port: number) => string): Promise<Store> {
  const { name, dataDir, found } = server;
  const portFile = portFileOf(dataDir, name);
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(attempt === 1 ? lastPort(portFile) : 0);
    const child = launch(server, port);
    const ended = new AbortController();
    const exit = child.exited.then(({ code, signal, error }) => {
      const how = error?.message ?? signal ?? `exit code ${code}`;
      const problem = new StartError(`${name} stopped (${how}), see ${logFile(server)}`);
      ended.abort(problem);
      throw problem;
    });
    exit.catch(() => {});
    try {
      await Promise.race([
        exit,
        server.prepare(port, 'image' in found ? server.container.inside : port, ended.signal),
      ]);
    } catch (error) {
      await child.stop();
      // Between the look for a free port and the server's own bind another process may have taken it.
      if (attempt < 3 && (await freePort(port)) !== port) continue;
      throw error;
    }
    writeFileSync(portFile, String(port));
    let stopping = false;
    const broken = exit.catch(
      (error): Promise<never> => (stopping || server.children.closing ? never : Promise.reject(error)),
    );
    broken.catch(() => {});
    const stop = () => {
      stopping = true;
      return child.stop();
    };
    return { url: url(port), source: found.source, broken, stop };
  }
}

const logFile = ({ dataDir, name }: Server) => join(dataDir, 'logs', `${name}.log`);

function launch(server: Server, port: number): Child {
  const { name, rank, found, dataDir, children, container } = server;
  for (const part of ['logs', 'run']) mkdirSync(join(dataDir, part), { recursive: true });
  const output = openLog(logFile(server));
  if ('image' in found) removeContainer(container.mount.source);
  const program =
    'image' in found
      ? dockerRun({ ...container, image: found.image }, port)
      : { command: found.path, args: server.programArgs(port) };
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

/** Tries `step` until it succeeds, or `alive` says that there is no more use. */
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
