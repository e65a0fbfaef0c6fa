import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { processEnv } from './process-env.ts';
import { hasEnded } from './service-process.ts';
import { until } from './sluice.ts';

const quickWorker = join(import.meta.dirname, 'quick-worker.ts');

/** A line of the log. */
export interface LogLine {
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: fields of every type
  [field: string]: any;
}

export type WorkerProcess = ReturnType<typeof createWorkerProcess>;

/** A worker as a process of its own, which can be killed and started again. Call in a test. */
export function createWorkerProcess(service: 'ingest-worker' | 'export-worker', env: Record<string, string>) {
  /** Of all processes in turn. */
  const lines: LogLine[] = [];
  let child: ChildProcess | undefined;
  const signal = (name: NodeJS.Signals) => void child?.kill(name);
  onTestFinished(() => signal('SIGKILL'));

  /** Resolves when it has ended. */
  async function gone(): Promise<void> {
    if (child && !hasEnded(child)) await once(child, 'exit');
  }

  return {
    lines,

    /** Resolves when it is running. */
    async start(): Promise<void> {
      const starting = spawn(process.execPath, [quickWorker, service], {
        env: processEnv({ ...env, LOG_LEVEL: 'info' }),
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      child = starting;
      let isStarted = false;
      createInterface({ input: starting.stdout }).on('line', (text) => {
        const line: LogLine = JSON.parse(text);
        lines.push(line);
        isStarted ||= line.event === 'process.started';
      });
      await until(async () => {
        if (hasEnded(starting)) throw new Error('the worker ended before it was running');
        return isStarted;
      }, Number.POSITIVE_INFINITY);
    },

    pid: () => child?.pid,

    /** Kills the process. */
    kill: () => signal('SIGKILL'),

    /** Stops the process as an orchestrator does; resolves when it has ended. */
    async stop(): Promise<void> {
      signal('SIGTERM');
      await gone();
    },

    gone,

    /** Freezes the process, like a machine that sleeps. */
    halt: () => signal('SIGSTOP'),
    goOn: () => signal('SIGCONT'),
  };
}
