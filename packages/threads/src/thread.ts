import type { Transferable } from 'node:worker_threads';
import { createFairQueue } from './fair-queue.ts';
import { createWorker, type Request, type WorkerOptions } from './worker.ts';

/** The request waited too long and was not begun. */
export class ThreadBusy extends Error {}

export interface ThreadOptions<A> extends WorkerOptions<A> {
  deadlineMs: number;
  /** Number of threads; default 1. */
  count?: number;
  /** A request that waits longer is rejected, as its client has probably given up. */
  waitingMs?: number;
  /** Completes "… is closed". */
  name: string;
}

interface Sent {
  transfer?: Transferable[];
  /** Replaces the deadline of the thread. */
  deadlineMs?: number;
}

export interface Thread<Q, A> {
  /** Clients take turns. Rejects with ThreadBusy, or when the thread is closed or cannot start. */
  ask(client: string, request: Q, sent?: Sent): Promise<A>;
  close(): Promise<void>;
}

interface Job<Q, A> extends Request<Q> {
  since: number;
  resolve(answer: A): void;
  reject(error: Error): void;
}

/** Does slow work in threads of low priority, which start with the first request. */
export function createThread<Q, A>(options: ThreadOptions<A>): Thread<Q, A> {
  const { count = 1, waitingMs = Number.POSITIVE_INFINITY, name } = options;
  const waiting = createFairQueue<Job<Q, A>>();
  const workers = Array.from({ length: count }, () => createWorker<Q, A>(options));
  const idle = [...workers];
  const isClosed = () => new Error(`${name} is closed`);
  let closed = false;

  /** Takes the next job, and rejects those before it that waited too long. */
  function take(): Job<Q, A> | undefined {
    for (let job = waiting.take(); job; job = waiting.take()) {
      if (performance.now() - job.since <= waitingMs) return job;
      job.reject(new ThreadBusy());
    }
    return undefined;
  }

  async function work(worker: (typeof workers)[number]): Promise<void> {
    while (waiting.size() > 0) {
      let job: Job<Q, A> | undefined;
      try {
        // The start of a thread does not count as time of the request.
        if (!worker.isReady()) await worker.start();
        job = take();
        if (job) job.resolve(await worker.run(job));
      } catch (error) {
        (job ?? waiting.take())?.reject(error as Error);
      }
    }
    idle.push(worker);
  }

  return {
    ask(client, request, { transfer = [], deadlineMs = options.deadlineMs } = {}) {
      return new Promise((resolve, reject) => {
        if (closed) return reject(isClosed());
        waiting.push(client, { request, transfer, deadlineMs, since: performance.now(), resolve, reject });
        const worker = idle.pop();
        if (worker) void work(worker);
      });
    },

    async close() {
      closed = true;
      for (let job = waiting.take(); job; job = waiting.take()) job.reject(isClosed());
      await Promise.all(workers.map((worker) => worker.close(isClosed())));
    },
  };
}
