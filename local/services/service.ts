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
  /** Variables that are known later. The service is loaded meanwhile. */
  later: Promise<NodeJS.ProcessEnv>;
  /** Folder for its log; without one it writes to the terminal. */
  logs?: string | undefined;
  children: Children;
  log: (line: string) => void;
  delays?: Delays;
}

export interface Delays {
  firstMs: number;
  mostMs: number;
  /** After running that long it begins again with the first delay. */
  forgetAfterMs: number;
}

const usual: Delays = { firstMs: 500, mostMs: 10_000, forgetAfterMs: 30_000 };

export type Service = ReturnType<typeof startService>;

/** Runs a service, and runs it again whenever it ends. */
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
      ...{ name, command: process.execPath, args: [preload, entry], env, rank: 3 },
      // Over the channel it learns that this process is gone, even when that was killed.
      stdio: ['ignore', output, output, 'ipc'],
    });
    // One that has ended meanwhile hears nothing.
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
    /** Rejects when it ends with code 1 before it was ever ready: starting it again would not help. */
    failed: failed.promise,
    /** From now on it is started again whatever ended it. */
    markReady() {
      ready = true;
    },
    /** For a change of its files: stops it in order and starts it at once. */
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
