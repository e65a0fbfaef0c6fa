import { join } from 'node:path';
import type { Child, Children, Exit } from '../children.ts';
import { openLog } from '../log-file.ts';
import { StartError } from '../start-error.ts';
import { lastMessage } from './last-message.ts';

const preload = join(import.meta.dirname, 'preload.ts');

export interface ServiceOptions {
  name: string;
  /** The file that `node` runs. */
  entry: string;
  env: NodeJS.ProcessEnv;
  /** Variables that are not known yet. The service is loaded meanwhile. */
  later: Promise<NodeJS.ProcessEnv>;
  /** The folder of the log. Without it, the service writes to the terminal. */
  logs?: string | undefined;
  children: Children;
  log: (line: string) => void;
  delays?: Delays;
}

export interface Delays {
  firstMs: number;
  mostMs: number;
  /** After a run of this length the next delay is the first one again. */
  forgetAfterMs: number;
}

const usual: Delays = { firstMs: 500, mostMs: 10_000, forgetAfterMs: 30_000 };

export type Service = ReturnType<typeof startService>;

/** Runs a service, and restarts it whenever it ends. */
export function startService(options: ServiceOptions) {
  const { name, entry, env, later, logs, children, log, delays = usual } = options;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let ready = false;
  let restarting = false;
  let delay = delays.firstMs;
  let timer: NodeJS.Timeout | undefined;
  let child: Child = run();

  function run(): Child {
    const file = logs === undefined ? undefined : openLog(join(logs, `${name}.log`));
    const output = file?.fd ?? 'inherit';
    const since = Date.now();
    const started = children.start({
      name,
      command: process.execPath,
      args: [preload, entry],
      env,
      rank: 3,
      // The channel closes when this process ends, even if it is killed.
      stdio: ['ignore', output, output, 'ipc'],
    });
    // A process that has ended has no channel.
    later.then((variables) => started.process.send(variables, () => {})).catch(() => {});
    void started.exited.then((exit) => {
      const message = file && lastMessage(file.tail());
      file?.close();
      if (!children.closing && !restarting) onEnd(exit, message, Date.now() - since, file?.path);
    });
    return started;
  }

  function onEnd({ code, signal, error }: Exit, message: string | undefined, ranMs: number, path?: string) {
    const how = error?.message ?? signal ?? `exit code ${code}`;
    if (!ready && (code === 1 || error)) {
      failed.reject(new StartError(`${name} cannot start: ${message ?? how}`));
      return;
    }
    if (ranMs >= delays.forgetAfterMs) delay = delays.firstMs;
    const where = path ? `, see ${path}` : '';
    log(`${name} stopped (${how}), starting it again in ${delay / 1_000} s${where}`);
    timer = setTimeout(again, delay);
    delay = Math.min(delays.mostMs, delay * 2);
  }

  function again() {
    clearTimeout(timer);
    if (!children.closing) child = run();
  }

  return {
    name,
    /** Rejects if the service ends with code 1 before it was ready, as a restart would not help. */
    failed: failed.promise,
    /** From now on the service is restarted after any end. */
    markReady() {
      ready = true;
    },
    /** Restarts the service after a change of its files. */
    async restart(): Promise<void> {
      if (restarting) return;
      restarting = true;
      await child.stop();
      restarting = false;
      delay = delays.firstMs;
      again();
    },
  };
}
