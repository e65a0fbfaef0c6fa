import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@sluice/shared/logger.ts';
import { storeFault } from '@sluice/store/faults.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { DelayedError, type Job, Worker } from 'bullmq';
import { kindOf, type QueueDefinition, type QueueKind, type Timings } from './queues.ts';
import { connectRedis, keyPrefix, type RedisConfig } from './redis.ts';

/** A handler throws this to enqueue its job again, after `delayMs`. */
export class Postpone extends Error {
  readonly delayMs: number;

  constructor(delayMs = 0) {
    super(`again in ${delayMs} ms`);
    this.delayMs = delayMs;
  }
}

/** When `signal` is aborted, throw `Postpone`. Call `moved` after each finished part of the job. */
export type Handler<Payload> = (payload: Payload, signal: AbortSignal, moved: () => void) => Promise<void>;

export type Handlers<Payload> = Partial<Record<QueueKind, Handler<Payload>>>;

export const requeueCauses = ['postponed', 'lease_lost', 'mongodb_away', 'error', 'stalled'] as const;
export type RequeueCause = (typeof requeueCauses)[number];

interface Options {
  redis: RedisConfig;
  concurrency: number;
  timings: Pick<Timings, 'lockMs'>;
  log: Logger;
  onRequeue?(kind: QueueKind, cause: RequeueCause): void;
}

export interface Consumer {
  name: string;
  /** Running jobs, and the time of the last progress (`performance.now()`). */
  activity(): { active: number; lastAt: number };
  close(): Promise<void>;
}

/** The delay after a lost lease: another worker has the job, or died with it. */
const leasedMs = 1_000;
/** The pause after a failure of MongoDB: another worker may reach it. */
const restMs = 1_000;

/** When and why a job is delivered again after this error. Undefined: the attempt failed. */
function againAfter(error: unknown): { cause: RequeueCause; delayMs: number } | undefined {
  if (error instanceof Postpone) return { cause: 'postponed', delayMs: error.delayMs };
  if (error instanceof LeaseLost) return { cause: 'lease_lost', delayMs: leasedMs };
  return storeFault(error) && { cause: 'mongodb_away', delayMs: 0 };
}

/** The receiving end of a queue: hands each job to the handler of its kind, at most `concurrency` at once. */
export function consume<Payload>(
  definition: QueueDefinition<Payload>,
  handlers: Handlers<Payload>,
  { redis: config, concurrency, timings, log, onRequeue }: Options,
): Consumer {
  const stopping = new AbortController();
  const connection = connectRedis(config, log, 'patient');
  let active = 0;
  let lastAt = performance.now();
  const moved = () => {
    lastAt = performance.now();
  };

  async function run(job: Job<Payload>, token?: string): Promise<void> {
    active += 1;
    moved();
    const kind = job.name as QueueKind;
    try {
      const handler = handlers[kind];
      if (!handler) throw new Error(`no handler for ${job.name}`);
      await handler(job.data, stopping.signal, moved);
    } catch (error) {
      const again = againAfter(error);
      onRequeue?.(kind, again?.cause ?? 'error');
      if (!again) throw error;
      await job.moveToDelayed(Date.now() + again.delayMs, token);
      if (storeFault(error)) {
        log.warn({ event: 'job.interrupted', queue: definition.name, job: job.id, err: error });
        await pause(restMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
      throw new DelayedError();
    } finally {
      active -= 1;
      moved();
    }
  }

  const worker = new Worker<Payload>(definition.name, run, {
    connection,
    prefix: keyPrefix(config),
    concurrency,
    skipVersionCheck: true,
    lockDuration: timings.lockMs,
    stalledInterval: timings.lockMs / 2,
    // MongoDB counts the attempts of jobs that kill their workers.
    maxStalledCount: 1_000_000,
  });
  worker.on('failed', (job, error) => {
    log.error({
      event: 'job.threw',
      queue: definition.name,
      job: job?.id,
      attempt: job?.attemptsMade,
      err: error,
    });
  });
  worker.on('stalled', (id) => onRequeue?.(kindOf(id), 'stalled'));
  worker.on('error', (error) =>
    log.debug({ event: 'worker.error', queue: definition.name, reason: error.message }),
  );

  return {
    name: definition.name,
    activity: () => ({ active, lastAt }),
    async close() {
      stopping.abort();
      await worker.close();
      connection.disconnect();
    },
  };
}
