import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@sluice/shared/logger.ts';
import { storeFault } from '@sluice/store/faults.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { DelayedError, type Job, Worker } from 'bullmq';
import { type Kind, kindOf, type QueueDefinition, type Timings } from './queues.ts';
import { connectRedis, keyPrefix, type RedisConfig } from './redis.ts';

/** Thrown by a handler to put its job at the end of the queue, after `delayMs`. */
export class Postpone extends Error {
  readonly delayMs: number;

  constructor(delayMs = 0) {
    super(`again in ${delayMs} ms`);
    this.delayMs = delayMs;
  }
}

/** `signal` is aborted when the process shall end: hand the job back with `Postpone`. `moved` tells that a part of the job is done. */
export type Handler<Payload> = (payload: Payload, signal: AbortSignal, moved: () => void) => Promise<void>;

/** One for each kind of the queue. */
export type Handlers<Payload> = Partial<Record<Kind, Handler<Payload>>>;

/** Why a job is put back. */
export const requeueCauses = ['postponed', 'lease_lost', 'mongodb_away', 'error', 'stalled'] as const;
export type RequeueCause = (typeof requeueCauses)[number];

interface Options {
  redis: RedisConfig;
  concurrency: number;
  timings: Pick<Timings, 'lockMs'>;
  log: Logger;
  /** Hears of each job that is put back. */
  onRequeue?(kind: Kind, cause: RequeueCause): void;
}

export interface Consumer {
  name: string;
  /** Jobs in hand now, and when one last began, moved or ended (as of `performance.now()`). */
  activity(): { active: number; lastAt: number };
  close(): Promise<void>;
}

/** Another worker has the job, or had it and died: look again. */
const leasedMs = 1_000;
/** After MongoDB was away for this worker: another one may reach it. */
const restMs = 1_000;

/** Why, and when, a job whose handler threw this is to be delivered again, without counting it; undefined where it failed. */
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
    const kind = job.name as Kind;
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
    // Whoever has work that kills its worker counts that in MongoDB.
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
