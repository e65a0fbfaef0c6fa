import { DelayedError, type Job, Worker } from 'bullmq';
import type { Logger } from '../logger.ts';
import type { QueueDefinition } from './definition.ts';
import { connectRedis, keyPrefix, type RedisConfig } from './redis.ts';

/** Thrown by a handler to have its job delivered again, to whichever worker is free then. */
export class Later extends Error {
  readonly delayMs: number;

  constructor(delayMs: number) {
    super(`again in ${delayMs} ms`);
    this.delayMs = delayMs;
  }
}

/** `signal` is aborted when the process shall end: hand the job back with `Later`. */
export type Handler<Payload> = (payload: Payload, signal: AbortSignal) => Promise<void>;

export interface Consumer {
  name: string;
  /** Jobs in hand now, and when one was last begun or ended (ms since the epoch). */
  activity(): { active: number; lastAt: number };
  close(): Promise<void>;
}

/** A job of a worker that died runs again after at most 10 s; it may happen to it many times. */
const locks = { lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 1_000 };

/** The receiving end of a queue: hands each job to `handler`, at most `concurrency` at once. */
export function consume<Payload>(
  definition: QueueDefinition<Payload>,
  handler: Handler<Payload>,
  { redis: config, concurrency, log }: { redis: RedisConfig; concurrency: number; log: Logger },
): Consumer {
  const stopping = new AbortController();
  const connection = connectRedis(config, log, 'patient');
  let active = 0;
  let lastAt = performance.now();

  async function run(job: Job<Payload>, token?: string): Promise<void> {
    active += 1;
    lastAt = performance.now();
    try {
      await handler(job.data, stopping.signal);
    } catch (error) {
      if (!(error instanceof Later)) throw error;
      await job.moveToDelayed(Date.now() + error.delayMs, token);
      throw new DelayedError();
    } finally {
      active -= 1;
      lastAt = performance.now();
    }
  }

  const worker = new Worker<Payload>(definition.name, run, {
    connection,
    prefix: keyPrefix(config),
    concurrency,
    skipVersionCheck: true,
    ...locks,
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
