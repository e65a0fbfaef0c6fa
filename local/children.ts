import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, stopProcess } from './process-id.ts';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Why it could not be started at all. */
  error?: Error;
}

export interface Child {
  readonly process: ChildProcess;
  /** Settles when the process is gone; never rejects. */
  readonly exited: Promise<Exit>;
  /** SIGTERM, and SIGKILL when it still runs after its grace time. */
  stop(): Promise<void>;
  kill(): void;
}

export interface Spawn {
  name: string;
  command: string;
  args: string[];
  /** Those of a higher rank are stopped first: services before the stores they use. */
  rank: number;
  graceMs?: number;
  env?: NodeJS.ProcessEnv;
  stdio: StdioOptions;
  /** Ends what the process started elsewhere, such as a container. */
  alsoKill?: () => void;
}

export type Children = ReturnType<typeof createChildren>;

/** Every process that is started here, so that none is left behind. Their pids are kept in `runDir`. */
export function createChildren(runDir: string) {
  const running = new Map<Child, Spawn>();
  let closing = false;

  function start(options: Spawn): Child {
    if (closing) throw new Error(`${options.name} is not started: Sluice is stopping`);
    const { name, command, args, env, stdio, graceMs = 20_000, alsoKill } = options;
    // In a session of their own: Ctrl-C in a terminal must reach only this process, which stops them in order.
    const spawned = spawn(command, args, { env, stdio, detached: true });
    const pidFile = join(runDir, `${name}.pid`);
    if (spawned.pid) {
      mkdirSync(runDir, { recursive: true });
      writeFileSync(pidFile, identify(spawned.pid) ?? '');
    }
    const exited = new Promise<Exit>((resolve) => {
      spawned.once('error', (error) => resolve({ code: null, signal: null, error }));
      spawned.once('exit', (code, signal) => resolve({ code, signal }));
    });
    const child: Child = {
      process: spawned,
      exited,
      async stop() {
        spawned.kill('SIGTERM');
        const timer = setTimeout(() => child.kill(), graceMs);
        await exited;
        clearTimeout(timer);
      },
      kill() {
        if (spawned.pid && spawned.exitCode === null && spawned.signalCode === null) killGroup(spawned.pid);
        alsoKill?.();
      },
    };
    running.set(child, options);
    void exited.then(() => {
      running.delete(child);
      rmSync(pidFile, { force: true });
    });
    return child;
  }

  return {
    start,
    get closing() {
      return closing;
    },
    /** Stops all of them, rank by rank. Nothing can be started afterwards. */
    async stopAll(): Promise<void> {
      closing = true;
      const ranks = [...new Set([...running.values()].map(({ rank }) => rank))].sort((a, b) => b - a);
      for (const rank of ranks) {
        const group = [...running].filter(([, options]) => options.rank === rank);
        await Promise.all(group.map(([child]) => child.stop()));
      }
    },
    /** Ends all of them at once; for the last moment of this process. */
    killAll(): void {
      closing = true;
      for (const child of running.keys()) child.kill();
    },
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Stops what a killed run left behind. Call it only while holding the lock of the data folder. */
export async function stopLeftovers(runDir: string, log: (line: string) => void, graceMs = 15_000) {
  mkdirSync(runDir, { recursive: true });
  const files = readdirSync(runDir).filter((file) => file.endsWith('.pid'));
  await Promise.all(
    files.map(async (file) => {
      const identity = readFileSync(join(runDir, file), 'utf8');
      const pid = Number.parseInt(identity, 10);
      if (identify(pid) === identity)
        log(`Stopping ${file.slice(0, -4)} (pid ${pid}), left by an earlier run`);
      await stopProcess(identity, graceMs);
      rmSync(join(runDir, file), { force: true });
    }),
  );
}
