import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { type Transferable, Worker } from 'node:worker_threads';
import { createFairQueue } from './fair-queue.ts';

const longestWait = 5;

/** Begins the work of a client, or rejects with ApiError. The weight counts until the work ends. */
export interface Admission {
  run<T>(client: string, work: () => Promise<T>, weight?: number): Promise<T>;
}

/** For workers, which take only as many jobs as they can run. */
export const unlimited: Admission = { run: (_client, work) => work() };

/** The request waited too long and was not begun. */
export class ThreadBusy extends Error {}

export interface ThreadOptions<A> {
  /** The file of the thread, which calls `serve`. */
  file: URL;
  heapMb: number;
  /** The answers to requests that took too much time or memory. */
  tooLong: A;
  tooLarge: A;
  /** Processor time in ms. By the clock a request may take `longestWait` times as long, or `longestMs` if that is longer. */
  deadlineMs: number;
  longestMs?: number;
  /** Number of threads; default 1. */
  count?: number;
  /** A request that waits longer is rejected, as its client has probably given up. */
  waitingMs?: number;
  /** Completes "… is closed". */
  name: string;
}

interface Sending {
  transfer: Transferable[];
  /** Replaces the deadline of the thread. */
  deadlineMs: number;
}

export interface Thread<Q, A> {
  /** Clients take turns. Rejects with ThreadBusy, or when the thread is closed or cannot start. */
  ask(client: string, request: Q, sending?: Partial<Sending>): Promise<A>;
  close(): Promise<void>;
}

interface ThreadJob<Q, A> extends Sending {
  request: Q;
  since: number;
  resolve(answer: A): void;
  reject(error: Error): void;
}

/** Does slow work in threads of low priority, which start with the first request. */
export function createThread<Q, A>(options: ThreadOptions<A>): Thread<Q, A> {
  const { count = 1, waitingMs = Number.POSITIVE_INFINITY, name } = options;
  const waiting = createFairQueue<ThreadJob<Q, A>>();
  const workers = Array.from({ length: count }, () => createWorker<Q, A>(options));
  const idle = [...workers];
  const isClosed = () => new Error(`${name} is closed`);
  let closed = false;

  /** Takes the next job, and rejects those before it that waited too long. */
  function take(): ThreadJob<Q, A> | undefined {
    for (let job = waiting.take(); job; job = waiting.take()) {
      if (performance.now() - job.since <= waitingMs) return job;
      job.reject(new ThreadBusy());
    }
    return undefined;
  }

  async function work(worker: (typeof workers)[number]): Promise<void> {
    while (waiting.size() > 0) {
      let job: ThreadJob<Q, A> | undefined;
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

/** A thread that does one request at a time. A request that takes too much time or memory ends the thread. */
function createWorker<Q, A>({ file, heapMb, tooLong, tooLarge, longestMs = 0 }: ThreadOptions<A>) {
  let current: { worker: Worker; stop: AbortController } | undefined;
  let ready = false;

  return {
    isReady: () => ready,

    async start(): Promise<void> {
      const worker = new Worker(file, {
        resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32 },
        env: compileCache(),
        execArgv: [],
      });
      const stop = new AbortController();
      current = { worker, stop };
      worker.on('error', () => {
        ready = false;
      });
      await once(worker, 'message', stop);
      ready = true;
    },

    async run({ request, transfer, deadlineMs }: ThreadJob<Q, A>): Promise<A> {
      if (!current) throw new Error('the thread has not started');
      const { worker, stop } = current;
      const longest = Math.max(longestMs, longestWait * deadlineMs);
      const unwatch = watch(worker, deadlineMs, longest, () => stop.abort('late'));
      worker.ref();
      try {
        const answered = once(worker, 'message', stop);
        worker.postMessage(request, transfer);
        const [answer] = await answered;
        // An idle thread does not keep the process alive.
        worker.unref();
        return answer as A;
      } catch (error) {
        ready = false;
        void worker.terminate();
        if (stop.signal.reason === 'late') return tooLong;
        if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return tooLarge;
        throw stop.signal.reason ?? error;
      } finally {
        unwatch();
      }
    },

    /** The request under way rejects with `reason`. */
    async close(reason: Error): Promise<void> {
      current?.stop.abort(reason);
      await current?.worker.terminate();
    },
  };
}

/** Threads share the compile cache of the process. */
function compileCache(): Record<string, string> {
  // Node.js adds the folder of its version itself.
  const own = getCompileCacheDir();
  return own ? { NODE_COMPILE_CACHE: dirname(own) } : {};
}

/** Calls `late` after `deadlineMs` of processor time, or `longestMs` by the clock. */
function watch(worker: Worker, deadlineMs: number, longestMs: number, late: () => void): () => void {
  const began = performance.now();
  // The thread may end before it answers.
  const before = worker.cpuUsage?.().catch(() => undefined);
  let timer: NodeJS.Timeout | undefined = setTimeout(look, deadlineMs);
  async function look() {
    const usedMs = await usedSince(worker, before);
    if (timer === undefined) return;
    if (usedMs >= deadlineMs || performance.now() - began >= longestMs) late();
    else timer = setTimeout(look, Math.max(1, deadlineMs - usedMs));
  }
  return () => {
    clearTimeout(timer);
    timer = undefined;
  };
}

/** In ms; infinite before Node.js 24.6, and for a thread that has ended. */
async function usedSince(worker: Worker, before?: Promise<NodeJS.CpuUsage | undefined>): Promise<number> {
  const [from, to] = await Promise.all([before, worker.cpuUsage?.().catch(() => undefined)]);
  return from && to ? (to.user + to.system - from.user - from.system) / 1_000 : Number.POSITIVE_INFINITY;
}
