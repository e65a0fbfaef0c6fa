import type { JobRecord } from '@sluice/shared/store/job-records.ts';
import type { JobStore } from '@sluice/shared/store/jobs.ts';

/** A worker that says nothing for this long is taken for dead. */
export const leaseMs = 5_000;
const beatEveryMs = 500;
/** Entries that were written longer ago do not count for the rate. */
const rateOverMs = 3_000;

interface Options {
  jobs: JobStore;
  job: JobRecord;
  /** The process is to stop. */
  signal: AbortSignal;
}

/** A worker's hold of a job: it says that it is alive, and learns when the job is no longer its own. */
export interface Hold {
  /** Throws when the job is cancelled, or another worker has it. */
  check(): void;
  /** Whether the process is to stop. */
  isStopping(): boolean;
  isLost(): boolean;
  lose(): void;
  /** So many entries more are written. */
  count(entries: number): void;
  end(): void;
}

/** The job was cancelled, or another worker has it. */
export class Lost extends Error {}

export function startHold({ jobs, job: { id, fence }, signal }: Options): Hold {
  let lost = false;
  let beating = false;
  let counted = 0;
  let samples = [{ at: performance.now(), counted }];

  function rate(): number {
    const now = performance.now();
    samples = [...samples.filter(({ at }, place) => at > now - rateOverMs || place === samples.length - 1)];
    const oldest = samples[0] as (typeof samples)[0];
    samples.push({ at: now, counted });
    return Math.round(((counted - oldest.counted) / Math.max(now - oldest.at, 1)) * 1_000);
  }

  async function beat(): Promise<void> {
    if (beating) return;
    beating = true;
    try {
      // Where MongoDB does not answer, the next write finds out.
      if (!(await jobs.beat(id, fence, leaseMs, rate()))) lost = true;
    } catch {
    } finally {
      beating = false;
    }
  }

  const timer = setInterval(beat, beatEveryMs);
  return {
    check() {
      if (lost) throw new Lost(`job ${id} is no longer this worker's`);
    },
    isStopping: () => signal.aborted,
    isLost: () => lost,
    lose() {
      lost = true;
    },
    count(entries) {
      counted += entries;
    },
    end: () => clearInterval(timer),
  };
}
