import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, stopProcess } from './process-id.ts';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Why the process could not be started. */
  error?: Error;
}

export interface Child {
  readonly process: ChildProcess;
  /** Resolves when the process has ended; never rejects. */
  readonly exited: Promise<Exit>;
  /** Sends SIGTERM, and SIGKILL if the process still runs after its grace time. */
  stop(): Promise<void>;
  kill(): void;
}

export interface Spawn {
  name: string;
  command: string;
  args: string[];
  /** Processes of a higher rank stop first: services before the stores that they use. */
  rank: number;
  graceMs?: number;
  env?: NodeJS.ProcessEnv;
  stdio: StdioOptions;
  /** Stops things outside of the process, such as its container. */
  alsoKill?: () => void;
}

export type Children = ReturnType<typeof createChildren>;

/** Starts processes and records their pids in `runDir`, so that none is left behind. */
export function createChildren(runDir: string) {
  const running = new Map<Child, Spawn>();
  let closing = false;

  function start(options: Spawn): Child {
    if (closing) throw new Error(`${options.name} is not started: Sluice is stopping`);
    const { name, command, args, env, stdio, graceMs = 20_000, alsoKill } = options;
    // Each has its own session, so that Ctrl-C reaches only this process, which stops them in order.
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
    /** Stops all processes, rank by rank, and starts no more. */
    async stopAll(): Promise<void> {
      closing = true;
      const ranks = [...new Set([...running.values()].map(({ rank }) => rank))].sort((a, b) => b - a);
      for (const rank of ranks) {
        const group = [...running].filter(([, options]) => options.rank === rank);
        await Promise.all(group.map(([child]) => child.stop()));
      }
    },
    /** Kills all processes at once, just before this process ends. */
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

/** Stops processes of an earlier run that was killed. Needs the lock of the data folder. */
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
