import { setTimeout as pause } from 'node:timers/promises';
import { CliError, type ExitCode } from '../cli-error.ts';
import type { Context } from '../context.ts';
import { createBar } from '../output/bar.ts';

/** A job as the API describes it. */
export interface AskedJob {
  id: string;
  kind: string;
  state: 'waiting' | 'active' | 'completed' | 'failed' | 'cancelled';
  progress: { done: number; total: number; rate?: number; secondsLeft?: number };
  name?: string;
  accepted?: number;
  rejected?: number;
  error?: string;
  file?: { name: string; bytes: number; rows: number; sha256: string };
  result?: Record<string, unknown>;
}

const everyMs = 300;

/** Waits until a job is over, also while the server restarts. Throws CliError unless it is completed, with `code` if it failed. */
export async function waitForJob(
  context: Context,
  id: string,
  kind: string,
  code: ExitCode = 4,
): Promise<AskedJob> {
  const { api, path, retry, signal } = context;
  const bar = createBar(context, 1);
  try {
    for (;;) {
      const { data: job } = await retry(() => api.ask<AskedJob>('GET', path(`/${kind}s/${id}`)));
      const { state, progress } = job;
      if (state === 'completed') return job;
      if (state !== 'waiting' && state !== 'active')
        throw new CliError(
          `${kind} ${id} is ${state}${job.error ? `: ${job.error}` : ''}`,
          state === 'failed' ? code : 4,
        );
      const { done, total, secondsLeft } = progress;
      const left = secondsLeft === undefined ? '' : `, ${secondsLeft} s left`;
      bar.show(
        done / (total || 1),
        `${kind}: ${done.toLocaleString('en')} of ${total.toLocaleString('en')}${left}`,
      );
      await pause(everyMs, undefined, { signal });
    }
  } finally {
    bar.clear();
  }
}
