import { once } from 'node:events';
import { join } from 'node:path';
import { openLog } from '../../local/log-file.ts';
import { freePort } from '../../local/ports.ts';
import { lastMessage } from '../../local/services/last-message.ts';
import { until } from '../../local/stores/store.ts';
import type { Bench, Server } from './bench.ts';

export interface ServerOptions {
  name: string;
  /** The file that Node runs. */
  entry: string;
  args?: (port: number) => string[];
  nodeArgs?: string[];
  env: (port: number) => NodeJS.ProcessEnv;
  port?: number | undefined;
  /** Resolves if the server is ready, else rejects. */
  ready(server: Server): Promise<void>;
}

let started = 0;

/** Runs a Node program in its own process, with its output in a file, and waits until it is ready. */
export async function startServer(bench: Bench, options: ServerOptions): Promise<Server> {
  const { name, entry, args = () => [], nodeArgs = [], env, ready } = options;
  const port = options.port ?? (await freePort());
  const unique = `${name}-${++started}`;
  const log = openLog(join(bench.dir, `${unique}.log`));
  const child = bench.children.start({
    name: unique,
    command: process.execPath,
    rank: 3,
    env: env(port),
    args: [...nodeArgs, entry, ...args(port)],
    // The channel closes when this process ends, even if it is killed.
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  });
  const gone = new AbortController();
  let stopping = false;
  void child.exited.then(({ code, signal, error }) => {
    const how = error?.message ?? signal ?? `exit code ${code}`;
    const ended = new Error(`${name} ended (${how}): ${lastMessage(log.tail()) ?? 'it said nothing'}`);
    gone.abort(ended);
    if (!stopping) bench.say(`  ${ended.message}`);
  });

  const server: Server = {
    name,
    url: `http://127.0.0.1:${port}`,
    pid: child.process.pid as number,
    output: log.tail,
    async ask<T>(message: unknown) {
      const answered = once(child.process, 'message', { signal: gone.signal }).catch(() => {
        throw gone.signal.reason;
      });
      child.process.send(message as never);
      return (await answered)[0] as T;
    },
    async stop() {
      stopping = true;
      bench.servers.delete(server);
      await child.stop();
      log.close();
    },
  };
  bench.servers.add(server);
  await until(() => ready(server), gone.signal).catch((error) => {
    throw gone.signal.aborted ? gone.signal.reason : error;
  });
  return server;
}
