import type { Transferable } from 'node:worker_threads';
import { createFairQueue } from './fair-queue.ts';
import { createWorker, type Request, type WorkerOptions } from './worker.ts';

/** It has waited too long: nothing was begun. */
export class ThreadBusy extends Error {}

export interface ThreadOptions<A> extends WorkerOptions<A> {
  deadlineMs: number;
  /** How many threads do the work; 1 when not given. */
  count?: number;
  /** A request that has waited longer is rejected: its client has given up, or soon will. */
  waitingMs?: number;
  /** Completes "… is closed". */
  name: string;
}

interface Sent {
  transfer?: Transferable[];
  /** In place of the thread's own. */
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

/** Work that takes long, in threads of low priority that start at the first need. */
export function createThread<Q, A>(options: ThreadOptions<A>): Thread<Q, A> {
  const { count = 1, waitingMs = Number.POSITIVE_INFINITY, name } = options;
  const waiting = createFairQueue<Job<Q, A>>();
  const workers = Array.from({ length: count }, () => createWorker<Q, A>(options));
  const idle = [...workers];
  const isClosed = () => new Error(`${name} is closed`);
  let closed = false;

  /** The next job that has not waited too long. */
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
        // The start of a thread is not the request's time.
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
